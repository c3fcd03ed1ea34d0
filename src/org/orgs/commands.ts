export {
  advanceClock,
  changeOrg,
  resumeOrg,
  suspendOrg,
  suspendRestored,
  suspendRestored,
} from "./change.ts";
export { openOrg } from "./open.ts";
