/**
 * What decides in an isolate, for a host to embed. The host authenticates the key and reads the body. It has one
 * `Gates`, and asks the org's object whatever `decideHere` leaves open. Its clock, object and background work are
 * arguments.
 */
export { DECISION, DECISION_ROUTE } from "../contract/decision.ts";
export type { DecisionAsk } from "./ask.ts";
export { type Asker, newAsker } from "./asker.ts";
export type { Background, LeaseObject } from "./background.ts";
export {
  asGiven,
  decideHere,
  isForSlices,
  isTaught,
  refusedUnread,
  slicesOf,
  type Verdict,
  wish,
} from "./decision.ts";
export { learn } from "./learning.ts";
export { Gates } from "./gates.ts";
export type { Lesson, Matters } from "./lesson.ts";
export type { DecisionReply, DecisionVerdict, RequestVerdict } from "./object-verdict.ts";
export type { OrgGate } from "./org-gate.ts";
export { plainAsk } from "./plain-ask.ts";
export { decisionRateHeaders, rateHeaders, standingNow } from "./rate-standing.ts";
export { type KeySnapshot, type OrgSnapshot, type Snapshot, SNAPSHOT } from "./snapshot.ts";
export type { RateLimits } from "../contract/resources/rate-limits.ts";
