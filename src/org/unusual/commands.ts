export { keepHours } from "./hours.ts";
export { setUnusualSettings } from "./settings.ts";
