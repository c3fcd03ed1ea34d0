import type { NewSpendCap } from "../../contract/resources/spend-cap.ts";
import { parseUsd } from "../../domain/price/money.ts";
import { command, done } from "../kernel/door.ts";
import { deleteLimit } from "../meters/delete.ts";
import { sharesExtra } from "../meters/show.ts";
import { recount } from "../recount/recount.ts";
import { onlyMeterRow, saveMeterRow, toMeter } from "../meters/store.ts";
import { ID, loadSpendCap, spendCapNow, toSpendCap } from "./store.ts";

/** A cap that is set again keeps its count. In another time zone, its day is recounted. */
export const setSpendCap = command({
  action: "spend_cap.set",
  changesLimits: true,
  refuses: [],
  current: spendCapNow,
  run(tx, input: NewSpendCap) {
    const before = loadSpendCap(tx);
    const row = onlyMeterRow(ID, {
      amount: String(parseUsd(input.cap_usd) ?? 0n),
      time_zone: input.timezone,
      extra:
        input.alert_thresholds === undefined ? (before?.extra ?? "{}") : sharesExtra(input.alert_thresholds),
      since: before?.since ?? tx.now,
    });
    saveMeterRow(tx.sql, row);
    if (before?.time_zone !== row.time_zone) recount(tx, toMeter(row, tx.now));
    return done(200, toSpendCap(tx, row), { target: ID, detail: { ...input } });
  },
});

export const deleteSpendCap = deleteLimit("spend_cap.deleted", spendCapNow, () => ID);
