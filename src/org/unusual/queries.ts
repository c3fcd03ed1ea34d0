export { subjectDays } from "./days.ts";
export { getUnusualSettings } from "./settings.ts";
export { subjectHours } from "./hours.ts";
