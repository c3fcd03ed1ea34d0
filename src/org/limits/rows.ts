import type { LimitInUse } from "../../contract/resources/limits.ts";
import { asCount } from "../../domain/price/count.ts";
import { isLive } from "../../domain/meter/credit.ts";
import {
  type Account,
  countsApart,
  countsGroups,
  roomOf,
  totalSpent,
  unitOf,
  zoneOf,
} from "../../domain/meter/meter.ts";
import { formatUsd } from "../../domain/price/money.ts";
import { groupText } from "../../domain/meter/traits.ts";
import { runsOutAt } from "../../domain/meter/burn-rate.ts";
import { formatInZone } from "../../domain/time/zone.ts";
import type { CheckpointedView } from "../kernel/door.ts";
import { packExtra, toPack } from "../credit-packs/store.ts";
import { loadLimitedRows, meterAt, type MeterRow } from "../meters/store.ts";
import { countersOf, LIMITS_PER_METER } from "../meters/subjects.ts";
import { type MeterAccount, loadUsage, newEntry } from "../meters/usage.ts";
import { iso } from "../../domain/time/iso.ts";

export interface LimitRow {
  readonly row: MeterRow;
  readonly entry: Account;
  readonly startMs: number;
  readonly endsMs: number | null;
  readonly used: number;
  readonly runsOutMs: number | null;
}

/** The limits that are used most, at most `limit` of those that a limit counts separately, and how many there are. */
export function limitRows(
  view: CheckpointedView,
  limit: number,
): { readonly rows: readonly LimitRow[]; readonly count: number } {
  const rows = loadLimitedRows(view.sql).filter(
    (row) => row.kind !== "credit_pack" || isLive(toPack(row), view.now),
  );
  const whole: MeterAccount[] = [];
  let count = 0;
  const found = rows.flatMap((row) => {
    const one = newEntry(meterAt(row, view.now), "", view.now);
    if (countsApart(one.meter)) {
      const { entries, all } = countersIn(view, one, Math.min(limit, LIMITS_PER_METER));
      count += all;
      return entries.map((entry) => ({ row, entry }));
    }
    count += 1;
    whole.push(one);
    return { row, entry: one };
  });
  loadUsage(view.sql, whole);
  return { rows: found.map(({ row, entry }) => inUse(view, row, entry)), count };
}

/** The largest counters of a limit that counts subjects separately: all of them have the same limit, so they run out first. */
function countersIn({ sql }: CheckpointedView, { meter, window }: Account, limit: number) {
  const found = countersOf(sql, { meterId: meter.id, startMs: window.startMs, limit });
  const entries: Account[] = found.counters.map(({ subject, usage }) => ({ meter, subject, window, usage }));
  return { entries, all: found.count(LIMITS_PER_METER) };
}

function inUse(view: CheckpointedView, row: MeterRow, entry: Account): LimitRow {
  const { meter, window, usage } = entry;
  const room = roomOf(entry) ?? 0n;
  const used = (meter.limit ?? 0n) - room;
  const endsMs = row.kind === "credit_pack" ? packExtra(row).expiresAt : window.endMs;
  const startMs = Math.max(window.startMs, meter.sinceMs);
  return {
    row,
    entry,
    startMs,
    endsMs,
    used: meter.limit === 0n ? 1 : Number(used) / Number(meter.limit ?? 1n),
    runsOutMs: runsOutAt({ used: totalSpent(usage), room, startMs, endMs: endsMs }, view.now),
  };
}

function scopeOf({ scope_id }: MeterRow, { meter, subject }: Account): string {
  if (subject === "") return scope_id;
  return countsGroups(meter) ? (groupText(subject) ?? "") : subject;
}

export function toLimit({ row, entry, startMs, endsMs, used, runsOutMs }: LimitRow): LimitInUse {
  const unit = unitOf(entry.meter);
  const amount = (value: bigint) => (unit === "usd" ? formatUsd(value) : asCount(value));
  const room = roomOf(entry) ?? 0n;
  const { name } = JSON.parse(row.extra) as { name?: string | null };
  const scope = scopeOf(row, entry);
  return {
    kind: row.kind,
    id: row.id,
    name: name ?? null,
    scope_kind: row.scope_kind,
    scope_id: scope === "" ? null : scope,
    period: row.period,
    mode: row.mode === "shadow" ? "shadow" : "enforce",
    limit: amount(entry.meter.limit ?? 0n),
    spent: amount(totalSpent(entry.usage)),
    reserved: amount(entry.usage.held + entry.usage.leased),
    available: amount(room < 0n ? 0n : room),
    used: Math.round(used * 1e6) / 1e6,
    period_start: iso(startMs),
    resets_at: endsMs === null ? null : formatInZone(zoneOf(entry.meter), endsMs),
    runs_out_at: iso(runsOutMs),
    forecast: null,
  };
}
