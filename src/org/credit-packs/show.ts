import type { CreditPack } from "../../contract/resources/credit-packs.ts";
import { isLive } from "../../domain/meter/credit.ts";
import { roomOf } from "../../domain/meter/meter.ts";
import { formatUsd } from "../../domain/price/money.ts";
import type { View } from "../kernel/door.ts";
import { entryNow, sharesOf } from "../meters/show.ts";
import { loadMeterRow, type MeterRow } from "../meters/store.ts";
import { packExtra, toPack } from "./store.ts";
import { iso } from "../../domain/time/iso.ts";

export function statusOf(row: MeterRow, now: number): CreditPack["status"] {
  const pack = toPack(row);
  if (pack.voidedAtMs !== null) return "voided";
  if (isLive(pack, now)) return "live";
  return pack.effectiveAtMs > now ? "scheduled" : "expired";
}

export function toCreditPack(view: View, row: MeterRow): CreditPack {
  const entry = entryNow(view, row);
  const extra = packExtra(row);
  return {
    id: row.id,
    customer_id: row.scope_id,
    amount_usd: formatUsd(BigInt(row.amount ?? 0)),
    spent_usd: formatUsd(entry.usage.spent),
    reserved_usd: formatUsd(entry.usage.held + entry.usage.leased),
    remaining_usd: formatUsd(roomOf(entry) ?? 0n),
    priority: extra.priority,
    alert_thresholds: sharesOf(row),
    effective_at: iso(extra.effectiveAt),
    expires_at: iso(extra.expiresAt),
    voided_at: iso(extra.voidedAt),
    status: statusOf(row, view.now),
    created_at: iso(row.since),
  };
}

export function loadCreditPack(view: View, id: string): MeterRow | null {
  return loadMeterRow(view.sql, id, "credit_pack");
}

export function creditPackNow(view: View, input: { id: string }): CreditPack | null {
  const row = loadCreditPack(view, input.id);
  return row === null ? null : toCreditPack(view, row);
}
