export { setRateLimits } from "./set.ts";
