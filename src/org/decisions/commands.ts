export { decide } from "./decide.ts";
export { releaseHold } from "./release.ts";
