import type { KeptRefusal } from "../../contract/resources/refusals.ts";
import { formatUsd } from "../../domain/price/money.ts";
import { namesOf } from "../../domain/refusal/names.ts";
import type { StoredRefusal } from "./find.ts";

export function toRefusal(refusal: StoredRefusal): KeptRefusal {
  return {
    id: refusal.id,
    at: new Date(refusal.at).toISOString(),
    trace_id: refusal.trace,
    decided: refusal.decided,
    operation: refusal.operation,
    status: refusal.status,
    code: refusal.code,
    details: JSON.parse(refusal.details) as Record<string, unknown>,
    limit: refusal.limit,
    key_id: refusal.keyId,
    ...namesOf(refusal, null),
    amount_usd: refusal.nanos === null ? null : formatUsd(BigInt(refusal.nanos)),
  };
}
