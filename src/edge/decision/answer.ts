import { writeTraceParent } from "../../domain/text/traceparent.ts";
import { DECIDED_HEADER } from "../../contract/headers.ts";
import { isRefusal, type Refusal } from "../../contract/refusal.ts";
import type { AnswerOf } from "../../org/kernel/door.ts";
import type { Verdict as VerdictBody } from "../../contract/resources/decisions/decisions.ts";
import type { DecisionReply } from "../../gate/decision/object-verdict.ts";
import type { DECISION_REFUSALS } from "../../contract/decision-codes.ts";
import type { DecisionAsk } from "../../gate/decision/ask.ts";
import type { Call } from "../request/call.ts";
import { ObjectUnreachable } from "../object/unreachable.ts";
import { askObject } from "./ask-object.ts";
import { backgroundOf } from "./background.ts";
import { gates, type ObjectBackground } from "./gates.ts";
import { judgeHere } from "./judge.ts";
import { noteDecision } from "./note-refusal.ts";
import { type GateCaller, newGateCaller } from "../../gate/snapshot/caller.ts";
import { usualExpiry } from "../../domain/tenant/profile.ts";
import {
  repeatOwnAllow,
  decideHere,
  isForSlices,
  hasPlan,
  refusedUnread,
  slicesOf,
  type Verdict,
  noteDemand,
} from "../../gate/decision/decision.ts";
import { installPlan } from "../../gate/snapshot/install-plan.ts";
import type { OrgGate } from "../../gate/org-gate.ts";
import { decisionRateHeaders } from "../../gate/snapshot/rate-standing.ts";

/** The parts of a call that a decision needs. */
export type DecisionCall = Pick<
  Call,
  | "env"
  | "settings"
  | "context"
  | "caller"
  | "home"
  | "startedAt"
  | "headers"
  | "parent"
  | "actor"
  | "credential"
  | "trace"
  | "orgId"
  | "introduced"
>;

type DecisionCode = (typeof DECISION_REFUSALS)[number] | "validation_failed";

/** The decision: made here if the isolate can, otherwise by the org's object. */
export async function answerDecision(
  call: DecisionCall,
  ask: DecisionAsk,
): Promise<AnswerOf<VerdictBody> | Refusal<DecisionCode>> {
  const caller = callerOf(call);
  const gate = gates.of(caller.orgId);
  const background = backgroundOf(call, caller.orgId);
  const { introduced } = call;
  const here =
    gate === null || introduced !== null
      ? null
      : decideHere(gate, caller, ask, { now: Date.now(), background });
  call.headers[DECIDED_HEADER] = here === null ? "object" : "edge";
  let verdict: Verdict;
  try {
    const pending = { gate, caller, ask, background };
    verdict =
      here ?? (introduced === null ? await decideThere(call, pending) : decidedBefore(pending, introduced));
  } finally {
    tellRates(call, gate, caller);
  }
  if (isRefusal(verdict)) {
    if (gate !== null && here !== null) noteDecision(gate, verdict, askedBy(call, ask), background);
    return verdict as Refusal<DecisionCode>;
  }
  const answer = { status: 200, text: verdict, etag: null, code: null, replayed: false };
  // Already text where it was made. Like every response, it is validated against the schema before it is sent.
  return answer as unknown as AnswerOf<VerdictBody>;
}

export function refusedBeforeBody(call: DecisionCall, orgId: string): Refusal | null {
  const gate = gates.of(orgId);
  // The object has also counted its own decisions.
  if (gate === null || call.introduced !== null) return null;
  const caller = callerOf(call);
  const background = backgroundOf(call, orgId);
  const refusal = refusedUnread(gate, caller, call.startedAt, background);
  if (refusal === null) return null;
  noteDecision(gate, refusal, askedBy(call, null), background);
  call.headers[DECIDED_HEADER] = "edge";
  tellRates(call, gate, caller);
  return refusal;
}

function askedBy(call: DecisionCall, ask: DecisionAsk | null) {
  const { clockOffsetMs } = call.caller?.org?.snapshot ?? { clockOffsetMs: 0 };
  return { trace: call.trace, parent: call.parent, keyId: call.actor.id, clockOffsetMs, ask };
}

function tellRates(call: DecisionCall, gate: OrgGate | null, caller: GateCaller): void {
  if (gate !== null && caller.unread.length > 0)
    Object.assign(call.headers, decisionRateHeaders(gate, caller, call.startedAt));
}

/** A question for the object, and what this isolate knows of its org. */
interface PendingDecision {
  readonly gate: OrgGate | null;
  readonly caller: GateCaller;
  readonly ask: DecisionAsk;
  readonly background: ObjectBackground;
}

async function decideThere(
  call: Pick<Call, "actor" | "credential" | "trace" | "parent">,
  pending: PendingDecision,
): Promise<Verdict> {
  const { gate, caller, ask, background } = pending;
  const askedAt = Date.now();
  let reply: DecisionReply | null;
  const leasable = gate !== null && isForSlices(ask, caller);
  if (leasable) gate.asked += 1;
  const { actor, credential, trace } = call;
  const parent = call.parent === null ? null : writeTraceParent(call.parent);
  const envelope = { actor, credential, trace, parent, idempotency: null, ifMatch: null };
  const worth = leasable && gate.wantsPlan && !hasPlan(gate, caller, ask, askedAt);
  const carried = leasable ? gate.carry(slicesOf(gate, caller, ask), askedAt) : null;
  try {
    const asked = { ask, keyId: caller.keyId, wantsPlan: worth, envelope, report: carried?.text ?? null };
    reply = await askObject(gate, asked, background);
  } catch (error) {
    if (carried !== null) gate?.answered(carried, null, Date.now());
    throw new ObjectUnreachable(String(error), { cause: error });
  }
  if (carried !== null) gate?.answered(carried, reply?.leases ?? null, Date.now());
  if (reply === null) throw new ObjectUnreachable("the object knows no such org");
  return verdictFrom(pending, reply, askedAt);
}

/** Returns what the object decided when it told about the key. */
function decidedBefore(
  pending: PendingDecision,
  { reply, askedAt }: NonNullable<Call["introduced"]>,
): Verdict {
  const { gate, caller, ask } = pending;
  if (gate !== null && isForSlices(ask, caller)) gate.asked += 1;
  return verdictFrom(pending, reply, askedAt);
}

/** The object's decision as the caller gets it. The isolate learns from it. */
function verdictFrom(
  { gate, caller, ask, background }: PendingDecision,
  verdict: DecisionReply,
  askedAt: number,
): Verdict {
  if (gate !== null) {
    const now = Date.now();
    installPlan(gate, caller, ask, { verdict, askedAt, now });
    if (verdict.refusal === null && isForSlices(ask, caller))
      noteDemand(gate, caller, ask, { now, background });
  }
  if (verdict.text !== null)
    return gate === null ? verdict.text : repeatOwnAllow(gate, caller, ask, verdict.text);
  return verdict.refusal ?? unanswered();
}

function unanswered(): never {
  throw new Error("the object answered a decision with nothing");
}

function callerOf(call: DecisionCall): GateCaller {
  const { org = null, scopes = null } = call.caller ?? {};
  if (org === null) throw new Error("a decision is an org's own");
  const { onExpiry: on_expiry } = org.snapshot;
  const onExpiry = scopes === null ? on_expiry : usualExpiry(scopes, { on_expiry });
  const snapshot = { ...org.snapshot, onExpiry };
  return newGateCaller(snapshot, call.actor.id, call.settings.SVC_KEY_PEPPER, judgeHere);
}
