import { DUE } from "../kernel/due-kinds.ts";
import type { NewCreditPack } from "../../contract/resources/credit-packs.ts";
import { parseTimestamp } from "../../contract/shapes.ts";
import { METERS } from "../../contract/meter-kinds.ts";
import { invalidField, refuse } from "../../contract/refusal.ts";
import { parseUsd } from "../../domain/price/money.ts";
import { newId } from "../../domain/bytes/ulid.ts";
import { command, done } from "../kernel/door.ts";
import { storedShares } from "../meters/show.ts";
import { type MeterRow, saveMeterRow } from "../meters/store.ts";
import { creditPackNow, loadCreditPack, statusOf, toCreditPack } from "./show.ts";
import { packExtra, type PackExtra } from "./store.ts";

export const createCreditPack = command({
  action: "credit_pack.created",
  changesLimits: true,
  refuses: ["validation_failed"],
  run(tx, input: NewCreditPack) {
    const extra: PackExtra = {
      priority: input.priority,
      effectiveAt: parseTimestamp(input.effective_at ?? "") ?? tx.now,
      expiresAt: parseTimestamp(input.expires_at ?? ""),
      voidedAt: null,
      thresholds: storedShares(input.alert_thresholds ?? []),
    };
    if (extra.expiresAt !== null && extra.expiresAt <= tx.now) {
      return invalidField("expires_at", "out_of_range", "must be in the future");
    }
    const row: MeterRow = {
      id: newId(METERS.credit_pack.idPrefix, tx.now),
      kind: "credit_pack",
      scope_kind: METERS.credit_pack.scope,
      scope_id: input.customer_id,
      amount: String(parseUsd(input.amount_usd) ?? 0n),
      period: METERS.credit_pack.period,
      time_zone: null,
      mode: "enforce",
      since: tx.now,
      extra: JSON.stringify(extra),
    };
    saveMeterRow(tx.sql, row);
    tx.schedule(DUE.packExpiry, row.id, extra.expiresAt);
    return done(201, toCreditPack(tx, row), { target: row.id, detail: { ...input } });
  },
});

/** The rest of a voided pack is lost. Amounts that were drawn stay drawn. */
export const voidCreditPack = command({
  action: "credit_pack.voided",
  refuses: ["not_found", "conflict"],
  current: creditPackNow,
  run(tx, input: { id: string }) {
    const before = loadCreditPack(tx, input.id);
    if (before === null) return refuse("not_found");
    const status = statusOf(before, tx.now);
    if (status === "voided" || status === "expired") {
      return refuse("conflict", {}, { message: `This credit pack is already ${status}.` });
    }
    const row = { ...before, extra: JSON.stringify({ ...packExtra(before), voidedAt: tx.now }) };
    saveMeterRow(tx.sql, row);
    tx.schedule(DUE.packExpiry, row.id, null);
    return done(200, toCreditPack(tx, row), { target: row.id });
  },
});
