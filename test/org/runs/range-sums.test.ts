import { expect, test } from "vitest";
import {
  addToRanges,
  type AddedDay,
  type DayRange,
  type RangeSums,
  sumsIn,
} from "../../../src/org/runs/range-sums.ts";
import { beginTransaction, rollBackCaches } from "../../../src/storage/transactional-cache.ts";

/** Sums of days that are kept in memory. */

class Runs implements RangeSums {
  readonly range: DayRange;
  readonly size = 1;
  runs: number;

  constructor(range: DayRange, runs: number) {
    this.range = range;
    this.runs = runs;
  }

  add({ runs }: AddedDay): void {
    this.runs += runs;
  }
}

test("what a transaction read or added to goes with it, and all else stays", () => {
  const sql = {} as SqlStorage;
  let stored = 5;
  let reads = 0;
  const runsOf = (kind: string) => {
    const range = { kind, from: "2026-11-01", to: "2026-12-01" };
    const read = () => {
      reads += 1;
      return new Runs(range, stored);
    };
    return sumsIn(sql, Runs, range, read)?.runs;
  };
  const add = (kind: string) =>
    addToRanges(sql, kind, "2026-11-18", { scopeId: "a", usd: 1n, runs: 2, tokens: 3 });
  expect([runsOf("model"), runsOf("user"), reads]).toEqual([5, 5, 2]);
  const began = beginTransaction();
  add("model");
  // Within another, which is not rolled back by itself.
  beginTransaction();
  expect([runsOf("model"), runsOf("key"), reads]).toEqual([7, 5, 3]);
  rollBackCaches(sql, began);
  expect([runsOf("model"), runsOf("user"), runsOf("key"), reads]).toEqual([5, 5, 5, 5]);
  beginTransaction();
  add("user");
  stored = 7;
  const refused = beginTransaction();
  rollBackCaches(sql, refused);
  expect([runsOf("user"), reads]).toEqual([7, 5]);
});
