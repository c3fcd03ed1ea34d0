import { expect, test } from "vitest";
import { addedName, addedRows, waitName, waitRows, type Waits } from "../../scripts/bench/latency-waits.ts";
import { isStable } from "../../scripts/bench/statistics.ts";

const waits = (...ms: number[]): Waits => ({ firstMs: ms, lastMs: ms.map((one) => one * 2), pieceMs: [0.5] });
const upTo = (most: number) => Array.from({ length: most + 1 }, (_, ms) => ms);

test("what callers waited is the median of the rounds, by byte and share", () => {
  const rows = waitRows("a proxy", 32, [waits(...upTo(100)), waits(...upTo(200)), waits(...upTo(400))]);
  const found = (byte: "first byte" | "last byte" | "piece", share: "p50" | "p99") =>
    rows.find(({ name }) => name === waitName("a proxy", 32, byte, share))?.perSecond;
  expect([found("first byte", "p50"), found("first byte", "p99")]).toEqual([100, 198]);
  expect([found("last byte", "p50"), found("piece", "p99")]).toEqual([200, 0.5]);
});

test("what governing adds is the difference within a round, whatever the machine did in it", () => {
  const plain = [waits(1, 2, 3), waits(101, 102, 103), waits(11, 12, 13)];
  const governed = [waits(1.4, 2.4, 3.4), waits(101.5, 102.5, 103.5), waits(11.6, 12.6, 13.6)];
  const added = addedRows(1, governed, plain).find(({ name }) => name === addedName(1, "first byte", "p50"));
  expect(added).toMatchObject({ perSecond: 0.5, target: 1, of: "ms, at most" });
});

test("a round in which one of both failed is left out, and the others are told", () => {
  const [added] = addedRows(256, [waits(3), null, waits(9)], [waits(1), waits(1), null]);
  expect(added?.perSecond).toBe(2);
  const [first] = waitRows("a proxy", 256, [null, waits(3), waits(5)]);
  expect(first?.perSecond).toBe(4);
  expect([...waitRows("a proxy", 256, [null]), ...addedRows(256, [null], [waits(1)])]).toEqual([]);
});

test("what governing adds is stable where rounds differ by little of what it may add", () => {
  const stableOf = (...ms: number[]) => {
    const [added] = addedRows(
      1,
      ms.map((one) => waits(one)),
      ms.map(() => waits(0)),
    );
    return isStable(added?.spread ?? null);
  };
  expect([stableOf(0, 0.05, 0.1), stableOf(0, 0.5, 1), stableOf(30, 31, 32), stableOf(30, 40, 50)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});
