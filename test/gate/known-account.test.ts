import { expect, test } from "vitest";
import { NO_USAGE } from "../../src/domain/meter/meter.ts";
import { KnownAccount } from "../../src/gate/decision/limit-set.ts";

const METER = {
  id: "bud_1",
  kind: "budget",
  scope: { kind: "org", id: "" },
  limit: 10n,
  window: { kind: "period", period: "day" },
  mode: "enforce",
  sinceMs: 0,
} as const;

const used = (spent: bigint) => ({ ...NO_USAGE, spent });

test("an amount that the object refused counts until the object says that it fits, and the smallest counts for larger ones", () => {
  const known = new KnownAccount(
    { meter: METER, subject: "", window: { startMs: 0, endMs: 1 }, usage: used(6n) },
    0,
  );
  expect(known.hasRefused(8)).toBe(false);
  known.refusedThere(8n);
  known.refusedThere(9n);
  expect([7, 8, 9].map((nanos) => known.hasRefused(nanos))).toEqual([false, true, true]);
  known.set(used(3n), 1);
  expect(known.hasRefused(8)).toBe(true);
  known.set(used(2n), 2);
  known.set(used(6n), 3);
  expect(known.hasRefused(8)).toBe(false);
});
