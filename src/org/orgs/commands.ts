export { advanceClock, changeOrg, resumeOrg, suspendOrg, suspendRestored } from "./change.ts";
export { openOrg } from "./open.ts";
