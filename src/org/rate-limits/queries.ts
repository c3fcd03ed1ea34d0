export { rateLimitsInUse } from "./in-use.ts";
export { getRateLimits } from "./set.ts";
