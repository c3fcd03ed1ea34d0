import { expect, test } from "vitest";
import { COLUMNS, toHoldRow, type HoldRow, toRow } from "../../../src/org/decisions/table.ts";

/** No two values are alike. */
const HOLD: HoldRow = {
  seq: 1,
  id: "rsv_1",
  status: "expired",
  at: 2,
  expires_at: 3,
  ended_at: 4,
  amount: "5",
  meters: "m1 m2",
  customer_id: "cus_1",
  verdict: "verdict",
  unreported: 1,
  rates: "rates",
  tokens: 6,
  beside: "beside",
  asked: "asked",
  key_id: "key_1",
};

test("a hold's values are in the order of its columns, and read from it", () => {
  expect(toRow(HOLD)).toEqual(COLUMNS.map((column) => HOLD[column]));
  expect(new Set(toRow({ ...HOLD, unreported: null })).size).toBe(COLUMNS.length);
  expect(toHoldRow(toRow(HOLD))).toEqual(HOLD);
});

test("a hold without a number is stored with none", () => {
  const { seq: _seq, ...unnumbered } = HOLD;
  expect(toRow(unnumbered)[0]).toBeNull();
});
