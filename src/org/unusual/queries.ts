export { getUnusualSettings } from "./settings.ts";
export { unusualSubjects } from "./subjects.ts";
