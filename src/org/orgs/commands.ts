export { advanceClock, changeOrg, resumeOrg, suspendOrg } from "./change.ts";
export { openOrg } from "./open.ts";
