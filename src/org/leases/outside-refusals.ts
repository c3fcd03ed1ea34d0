import { DECISION_ROUTE } from "../../contract/decision.ts";
import { DAY_MS } from "../../contract/durations.ts";
import { ERRORS } from "../../contract/errors.ts";
import { type DenialKind, meterRowOf } from "../../contract/meter-kinds.ts";
import type { RefusedCalls } from "../../contract/resources/edge-leases.ts";
import type { Meter } from "../../domain/meter/meter.ts";
import type { RatePolicy } from "../../domain/rate/policy.ts";
import { writeBatch } from "../../domain/refusal/batch.ts";
import { storedNames } from "../../domain/refusal/names.ts";
import { limitOf, type RefusalNote } from "../../domain/refusal/note.ts";
import { hourOf, OTHER, type RefusalSum, RefusalSums } from "../../domain/refusal/sums.ts";
import { traceParentToStore } from "../../domain/text/traceparent.ts";
import type { NumberedBatch } from "../../gate/report/refusal-outbox.ts";

type RefusedCall = RefusedCalls["notes"][number];
type Names = Pick<RefusedCalls["more"][number], "code" | "limit" | "customer_id" | "workflow_id">;

/** Tells whether the org has this limit, and whether it can refuse such a call so. */
export type KnowsLimit = (refused: Names) => boolean;

const CODES: Readonly<Partial<Record<DenialKind, Names["code"]>>> = {
  quota: "quota_exhausted",
  spend_cap: "spend_cap_exceeded",
  budget: "budget_exceeded",
};

export function knownLimits(meters: ReadonlyMap<string, Meter>, policies: readonly RatePolicy[]): KnowsLimit {
  const kinds = new Map(policies.map(({ id, kind }) => [id, kind]));
  return (refused) => {
    const meter = meters.get(refused.limit);
    if (meter !== undefined) return appliesTo(meter, refused);
    const kind = kinds.get(refused.limit);
    return kind !== undefined && refused.code === (kind === "rate" ? "rate_limited" : "quota_exhausted");
  };
}

function appliesTo({ kind, scope }: Meter, { code, ...names }: Names): boolean {
  if (CODES[meterRowOf(kind).denial] !== code) return false;
  if (scope.kind !== "customer" && scope.kind !== "workflow") return true;
  const named = scope.kind === "customer" ? names.customer_id : names.workflow_id;
  return named === OTHER || (named !== undefined && (scope.id === "*" || scope.id === named));
}

/**
 * Refusals of a gate outside, as they are stored: under the key that they came with, and at no time that has not been or is
 * long over. Those by a limit that the org does not have are counted, and not under the id that the gate gives.
 */
export function toStoredRefusals(
  { number, notes, more }: RefusedCalls,
  {
    keyId,
    orgNow,
    knowsLimit,
  }: { readonly keyId: string; readonly orgNow: number; readonly knowsLimit: KnowsLimit },
): NumberedBatch {
  const timely = (at: number) => Math.min(orgNow, Math.max(orgNow - DAY_MS, at));
  const isKnown = (note: RefusedCall) => knowsLimit(note) && limitIn(note) === note.limit;
  const kept = notes.filter(isKnown).map((note) => keptNote(note, keyId, timely(note.at)));
  const sums = more.map((sum): RefusalSum => {
    const limit = knowsLimit(sum) ? sum.limit : OTHER;
    return {
      ...groupOf({ ...sum, limit }, keyId, timely(sum.hour)),
      count: sum.count,
      nanos: BigInt(sum.nanos),
    };
  });
  const unknown = new RefusalSums(notes.length);
  for (const note of notes) {
    if (isKnown(note)) continue;
    unknown.add(groupOf({ ...note, limit: OTHER }, keyId, timely(note.at)), 1, BigInt(note.nanos ?? 0));
  }
  return { number, batch: writeBatch({ notes: kept, more: [...sums, ...unknown.entries()] }) };
}

/** The first of the refused calls, as many as are counted. Of a sum, a part has its part of the amount. */
export function cutRefusedCalls(most: number, { number, notes, more }: RefusedCalls): RefusedCalls {
  const kept = notes.slice(0, most);
  let left = most - kept.length;
  const sums = more.flatMap((sum) => {
    const count = Math.min(sum.count, left);
    left -= count;
    const nanos = String((BigInt(sum.nanos) * BigInt(count)) / BigInt(sum.count));
    return count === 0 ? [] : [{ ...sum, count, nanos }];
  });
  return { number, notes: kept, more: sums };
}

export function callsIn({ notes, more }: RefusedCalls): number {
  return more.reduce((sum, { count }) => sum + count, notes.length);
}

/** The limit that the details name. Those of a rate limit name none. */
function limitIn({ code, details, limit }: RefusedCall): string {
  return limitOf(code === "rate_limited" ? { code, details, limit } : { code, details });
}

function groupOf({ code, limit, customer_id, workflow_id }: Names, keyId: string, at: number) {
  const [customerId, workflowId] = [customer_id ?? null, workflow_id ?? null];
  return { hour: hourOf(at), code, limit, keyId, customerId, workflowId };
}

function keptNote(note: RefusedCall, keyId: string, at: number): RefusalNote {
  return {
    at,
    trace: note.trace,
    decided: "edge",
    operation: DECISION_ROUTE,
    status: ERRORS[note.code].statuses[0],
    code: note.code,
    details: JSON.stringify(note.details),
    limit: note.limit,
    keyId,
    ...storedNames(note),
    nanos: note.nanos,
    parent: traceParentToStore(note.traceparent ?? null),
  };
}
