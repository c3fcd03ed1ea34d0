import { type Refusal, refuse } from "../../contract/refusal.ts";
import type { LeaseExchange, LeaseReply } from "../../contract/resources/edge-leases.ts";
import { traceParentToStore } from "../../domain/text/traceparent.ts";
import type { CallerCode } from "../../org/caller.ts";
import type { AnswerOf } from "../../org/kernel/door.ts";
import type { ExchangeAnswer } from "../../org/leases/outside.ts";
import { UNSETTLED_REASONS } from "../../contract/lists.ts";
import { UNGOVERNED_SERIES, unsettledSeries } from "../../contract/metrics.ts";
import type { Call } from "../request/call.ts";
import { counters } from "../../counters.ts";
import { ObjectUnreachable, awaitAnswer } from "../object/unreachable.ts";
import { backgroundOf } from "./background.ts";

type ExchangeCode = CallerCode | "validation_failed";

/** An exchange with a gate in the caller's process: the org's object alone leases, and judges the key itself. */
export async function answerExchange(
  call: Pick<Call, "env" | "settings" | "context" | "caller" | "home" | "actor" | "credential" | "trace">,
  given: LeaseExchange,
): Promise<AnswerOf<LeaseReply> | Refusal<ExchangeCode>> {
  const org = call.caller?.org;
  if (org === undefined || org === null || call.actor.kind !== "key") {
    return refuse("forbidden", {}, { message: "Only a key of an organization can lease its limits." });
  }
  const { actor, credential, trace } = call;
  const parent = traceParentToStore(given.traceparent ?? null);
  const envelope = { actor, credential, trace, parent, idempotency: null, ifMatch: null };
  let reply: ExchangeAnswer | null;
  try {
    reply = await awaitAnswer(backgroundOf(call, org.id).object().exchangeLeases(given, envelope));
  } catch (error) {
    throw new ObjectUnreachable(String(error), { cause: error });
  }
  if (reply === null) throw new ObjectUnreachable("the object knows no such org");
  if (reply.refusal !== null) return reply.refusal as Refusal<ExchangeCode>;
  count(reply);
  // Written as text where it was made; like every answer, it is held against the shape before it leaves.
  const answer = { status: 200, text: reply.text, etag: null, code: null, replayed: false };
  return answer as unknown as AnswerOf<LeaseReply>;
}

/** Counts what only the gate can know, as far as the object believes it. */
function count({ ungoverned, unsettled }: ExchangeAnswer): void {
  if (ungoverned > 0) counters.count(UNGOVERNED_SERIES, ungoverned);
  for (const reason of UNSETTLED_REASONS) {
    const dropped = unsettled[reason] ?? 0;
    if (dropped > 0) counters.count(unsettledSeries(reason), dropped);
  }
}
