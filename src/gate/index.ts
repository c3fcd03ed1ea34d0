/**
 * This is what decides in an isolate, for a host to embed. The host authenticates the key and reads the body. It has
 * one `Gates`, and asks the org's object whatever `decideHere` leaves open. Its clock, object and background work are
 * arguments.
 */
export { DECISION, DECISION_ROUTE } from "../contract/decision.ts";
export type { DecisionAsk } from "./decision/ask.ts";
export { type GateCaller, newGateCaller } from "./snapshot/caller.ts";
export type { Background, LeaseObject } from "./lease/background.ts";
export {
  repeatOwnAllow as asGiven,
  decideHere,
  isForSlices,
  hasPlan,
  refusedUnread,
  slicesOf,
  type Verdict,
  noteDemand as wish,
} from "./decision/decision.ts";
export { installPlan } from "./snapshot/install-plan.ts";
export { Gates } from "./gates.ts";
export type { DecisionPlan, RelevantNames as Matters } from "./snapshot/decision-plan.ts";
export type { DecisionReply, DecisionVerdict, RequestVerdict } from "./decision/object-verdict.ts";
export type { OrgGate } from "./org-gate.ts";
export { plainAsk } from "./decision/plain-ask.ts";
export {
  decisionRateHeaders,
  rateHeaders,
  rateStandingNow as standingNow,
} from "./snapshot/rate-standing.ts";
export { type KeySnapshot, type OrgSnapshot, type Snapshot, SNAPSHOT } from "./snapshot/snapshot.ts";
export type { RateLimits } from "../contract/resources/rate-limits.ts";
