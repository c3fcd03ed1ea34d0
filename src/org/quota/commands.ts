import { refuse } from "../../contract/refusal.ts";
import type { NewQuota, TopUp } from "../../contract/resources/quota.ts";
import { roomOf } from "../../domain/meter/meter.ts";
import { parseUsd } from "../../domain/price/money.ts";
import { command, done, type Tx } from "../kernel/door.ts";
import { recount } from "../recount/recount.ts";
import { deleteLimit } from "../meters/delete.ts";
import { entryNow, sharesOf, storedShares } from "../meters/show.ts";
import { type MeterRow, onlyMeterRow, saveMeterRow, toMeter } from "../meters/store.ts";
import { saveUsage } from "../meters/usage.ts";
import { ID, loadQuota, lowOf, quotaNow, toQuota } from "./store.ts";

/** Makes the org prepaid, with a balance of zero. Repeating it only changes when a low balance is announced. */
export const setQuota = command({
  action: "quota.set",
  changesLimits: true,
  refuses: [],
  current: quotaNow,
  run(tx, input: NewQuota) {
    const before = loadQuota(tx);
    const low = input.low_balance_usd === undefined ? null : parseUsd(input.low_balance_usd);
    const row = onlyMeterRow(ID, {
      amount: before?.amount ?? "0",
      since: before?.since ?? tx.now,
      extra: JSON.stringify({
        ...(low === null ? {} : { lowRoom: String(low) }),
        thresholds: storedShares(input.alert_thresholds ?? (before === null ? [] : sharesOf(before))),
      }),
    });
    saveMeterRow(tx.sql, row);
    if (before === null) recount(tx, toMeter(row, tx.now));
    return done(200, toQuota(tx, row), { target: ID, detail: { ...input } });
  },
});

export const deleteQuota = deleteLimit("quota.deleted", quotaNow, () => ID);

export const topUpQuota = command({
  action: "quota.topped_up",
  changesLimits: true,
  refuses: ["not_found"],
  run(tx, input: TopUp) {
    const before = loadQuota(tx);
    if (before === null) return refuse("not_found");
    const amount = BigInt(before.amount ?? 0) + (parseUsd(input.amount_usd) ?? 0n);
    const row: MeterRow = { ...before, amount: String(amount) };
    saveMeterRow(tx.sql, row);
    rearm(tx, row);
    return done(201, toQuota(tx, row), { target: ID, detail: { ...input } });
  },
});

/** A balance has no period, so its announcements can be repeated after it has recovered. */
function rearm(tx: Tx, row: MeterRow): void {
  const entry = entryNow(tx, row);
  const room = roomOf(entry) ?? 0n;
  if (room <= 0n || room < (lowOf(row) ?? 0n)) return;
  entry.notices = "";
  saveUsage(tx.sql, [entry]);
}
