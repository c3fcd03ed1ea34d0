export { setUnusualSettings } from "./settings.ts";
