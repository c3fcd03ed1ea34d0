export { getRateLimits } from "./set.ts";
