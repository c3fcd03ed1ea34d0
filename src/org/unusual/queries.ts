export { subjectDays } from "./days.ts";
export { getUnusualSettings } from "./settings.ts";
