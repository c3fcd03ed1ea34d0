import { refuse } from "../../contract/refusal.ts";
import type { NewSpendCap, SpendCap } from "../../contract/resources/spend-cap.ts";
import { formatUsd, parseUsd } from "../../domain/money.ts";
import { formatInZone } from "../../domain/zone.ts";
import { command, done, query, type View } from "../kernel/door.ts";
import { recount } from "../recount/recount.ts";
import { amountsOf, entryNow } from "../meters/show.ts";
import {
  deleteMeter,
  loadMeterRow,
  type MeterRow,
  onlyMeterRow,
  saveMeterRow,
  toMeter,
} from "../meters/store.ts";

const ID = "spend_cap";

function toSpendCap(view: View, row: MeterRow): SpendCap {
  const entry = entryNow(view, row);
  const timezone = row.time_zone ?? "UTC";
  return {
    cap_usd: formatUsd(BigInt(row.amount ?? 0)),
    ...amountsOf(entry),
    timezone,
    resets_at: formatInZone(timezone, entry.window.endMs ?? 0),
  };
}

const current = (view: View) => {
  const row = loadMeterRow(view.sql, ID, ID);
  return row === null ? null : toSpendCap(view, row);
};

export const getSpendCap = query({
  refuses: ["not_found"],
  run: (view) => current(view) ?? refuse("not_found"),
});

/** A cap that is set again keeps what it has counted; in another time zone its day is counted anew. */
export const setSpendCap = command({
  action: "spend_cap.set",
  changesLimits: true,
  refuses: [],
  current,
  run(tx, input: NewSpendCap) {
    const before = loadMeterRow(tx.sql, ID, ID);
    const row = onlyMeterRow(ID, {
      amount: String(parseUsd(input.cap_usd) ?? 0n),
      time_zone: input.timezone,
      since: before?.since ?? tx.now,
    });
    saveMeterRow(tx.sql, row);
    if (before?.time_zone !== row.time_zone) recount(tx, toMeter(row));
    return done(200, toSpendCap(tx, row), { target: ID, detail: { ...input } });
  },
});

export const deleteSpendCap = command({
  action: "spend_cap.deleted",
  changesLimits: true,
  refuses: ["not_found"],
  current,
  run(tx) {
    if (loadMeterRow(tx.sql, ID, ID) === null) return refuse("not_found");
    deleteMeter(tx.sql, ID);
    return done(204, null, { target: ID });
  },
});
