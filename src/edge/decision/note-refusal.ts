import { type DecidedAt, DECISION_ROUTE } from "../../contract/decision.ts";
import { routeOf } from "../../contract/operation.ts";
import type { Refusal } from "../../contract/refusal.ts";
import { type RefusedCall, refusalNote } from "../../domain/refusal/note.ts";
import { type TraceParent, writeTraceParent } from "../../domain/text/traceparent.ts";
import { type DecisionAsk, leastOf } from "../../gate/decision/ask.ts";
import { costOf } from "../../gate/decision/decision.ts";
import type { OrgGate } from "../../gate/org-gate.ts";
import { reportAlone } from "../../gate/report/report-alone.ts";
import type { Call } from "../request/call.ts";
import { backgroundOf } from "./background.ts";
import { gates, type ObjectBackground } from "./gates.ts";

/**
 * Records a refusal that the object did not make, or whose call it cannot know. It reaches the object in the
 * background.
 */
export function noteRefusal(
  gate: OrgGate | null,
  refusal: Refusal,
  refused: RefusedCall,
  background: ObjectBackground,
): void {
  const note = refusalNote(refusal, refused);
  if (note === null) return;
  if (gate !== null) gate.noteRefusal(note, background.now(), background);
  else background.waitUntil(reportAlone(background.object(), crypto.randomUUID(), note));
}

function writtenParent(parent: TraceParent | null): string | null {
  return parent === null ? null : writeTraceParent(parent);
}

/** A decision that was refused in this isolate. Without an ask if its body was not read. */
export function noteDecision(
  gate: OrgGate,
  refusal: Refusal,
  asked: {
    readonly trace: string;
    readonly parent: TraceParent | null;
    readonly keyId: string;
    readonly clockOffsetMs: number;
    readonly ask: DecisionAsk | null;
  },
  background: ObjectBackground,
): void {
  const { trace, parent, keyId, clockOffsetMs, ask } = asked;
  const at = background.now() + clockOffsetMs;
  const refused: RefusedCall = {
    at,
    trace,
    parent: writtenParent(parent),
    decided: "edge",
    operation: DECISION_ROUTE,
    keyId,
    names: ask ?? {},
    nanos: ask === null ? null : costOf(gate, leastOf(ask), at),
  };
  noteRefusal(gate, refusal, refused, background);
}

/**
 * A call that a rate limit refused before its body was read. Only operations that other limits also check are recorded.
 */
export function noteRateRefusal(call: Call, gate: OrgGate | null, refusal: Refusal, place: DecidedAt): void {
  const org = call.caller?.org;
  const isKept = call.op.countsItself === true || call.op.refusalsAreFree === true;
  if (org === undefined || org === null || !isKept) return;
  const refused: RefusedCall = {
    at: Date.now() + org.snapshot.clockOffsetMs,
    trace: call.trace,
    parent: writtenParent(call.parent),
    decided: place,
    operation: routeOf(call.op),
    keyId: call.actor.id,
    names: {},
    nanos: null,
  };
  noteRefusal(gate, refusal, refused, backgroundOf(call, org.id));
}

/** Tells the object what this isolate refused, so that its caller can find it. */
export async function reportRefusals(
  call: Pick<Call, "env" | "settings" | "context" | "home" | "orgId">,
): Promise<void> {
  if (call.orgId === null) return;
  await gates.known(call.orgId)?.flush(backgroundOf(call, call.orgId));
}
