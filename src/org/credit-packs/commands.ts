import { DUE } from "../kernel/due-kinds.ts";
import type { ListQuery } from "../../contract/list.ts";
import type { CreditPack, NewCreditPack } from "../../contract/resources/credit-packs.ts";
import { parseTimestamp } from "../../contract/shapes.ts";
import { METERS } from "../../contract/meter-kinds.ts";
import { invalidField, refuse } from "../../contract/refusal.ts";
import { isLive } from "../../domain/credit.ts";
import { roomOf } from "../../domain/meter.ts";
import { formatUsd, parseUsd } from "../../domain/money.ts";
import { newId } from "../../domain/ulid.ts";
import { command, done, query, type View } from "../kernel/door.ts";
import type { DueHandler } from "../kernel/due/handler.ts";
import { entryNow } from "../meters/show.ts";
import { loadMeterRow, type MeterRow, saveMeterRow } from "../meters/store.ts";
import { listRows } from "../kernel/rows.ts";
import { packExtra, type PackExtra, toPack } from "./store.ts";

const iso = (ms: number) => new Date(ms).toISOString();

function statusOf(row: MeterRow, now: number): CreditPack["status"] {
  const pack = toPack(row);
  if (pack.voidedAtMs !== null) return "voided";
  if (isLive(pack, now)) return "live";
  return pack.effectiveAtMs > now ? "scheduled" : "expired";
}

function toCreditPack(view: View, row: MeterRow): CreditPack {
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
    effective_at: iso(extra.effectiveAt),
    expires_at: extra.expiresAt === null ? null : iso(extra.expiresAt),
    voided_at: extra.voidedAt === null ? null : iso(extra.voidedAt),
    status: statusOf(row, view.now),
    created_at: iso(row.since),
  };
}

const load = (view: View, id: string) => loadMeterRow(view.sql, id, "credit_pack");

const current = (view: View, input: { id: string }) => {
  const row = load(view, input.id);
  return row === null ? null : toCreditPack(view, row);
};

export const createCreditPack = command({
  action: "credit_pack.created",
  refuses: ["validation_failed"],
  run(tx, input: NewCreditPack) {
    const extra: PackExtra = {
      priority: input.priority,
      effectiveAt: parseTimestamp(input.effective_at ?? "") ?? tx.now,
      expiresAt: parseTimestamp(input.expires_at ?? ""),
      voidedAt: null,
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

/** What is left of a voided pack is gone; what was drawn stays drawn. */
export const voidCreditPack = command({
  action: "credit_pack.voided",
  refuses: ["not_found", "conflict"],
  current,
  run(tx, input: { id: string }) {
    const before = load(tx, input.id);
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

export const expireCreditPack: DueHandler = {
  kind: "change",
  run(tx, id) {
    const row = load(tx, id);
    if (row === null || statusOf(row, tx.now) !== "expired") return;
    const { remaining_usd, customer_id, expires_at } = toCreditPack(tx, row);
    tx.emit("credit_pack.expired", {
      credit_pack_id: id,
      customer_id,
      remaining_usd,
      expired_at: expires_at,
    });
  },
};

export const getCreditPack = query({
  refuses: ["not_found"],
  run: (view, input: { id: string }) => current(view, input) ?? refuse("not_found"),
});

export const listCreditPacks = query({
  refuses: [],
  run: (view, input: ListQuery) =>
    listRows(
      view.sql,
      {
        table: "meters",
        where: { sql: "kind = ?", bindings: ["credit_pack"] },
        sort: { created_at: "since" },
        filters: { customer_id: "scope_id = ?" },
        toItem: (row: MeterRow) => toCreditPack(view, row),
      },
      input,
    ),
});
