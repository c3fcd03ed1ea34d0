export { decide } from "./decide.ts";
export { releaseHold } from "./release.ts";
export { renewHold } from "./renew.ts";
