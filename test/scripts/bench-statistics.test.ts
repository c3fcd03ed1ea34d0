import { describe, expect, test } from "vitest";
import type { BenchRow, Compared } from "../../scripts/bench/bench-row.ts";
import { runParts } from "../../scripts/bench/parts.ts";
import { type Measured, measureInRounds } from "../../scripts/bench/rows-of-rounds.ts";
import { figureOf, isStable, median, pairedRatio } from "../../scripts/bench/statistics.ts";
import { tableLines } from "../../scripts/bench/table.ts";

const taking = (cpuMicros: number): Measured => ({ perSecond: 1e6 / cpuMicros, cpuMicros, note: "" });

describe("rounds of measurements", () => {
  test("have a median, between two neighbours where their number is even", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  test("have a spread: half the distance between quartiles, which one odd round does not change", () => {
    expect(figureOf([100, 98, 102, 96, 104])).toEqual({ median: 100, spread: 0.02 });
    expect(figureOf([100, 98, 102, 96, 900])).toEqual({ median: 100, spread: 0.02 });
    expect(figureOf([100, 70, 130, 100, 140]).spread).toBe(0.15);
  });

  test("are stable up to five percent, and one round says nothing about it", () => {
    expect([0, 0.05, 0.051, null].map(isStable)).toEqual([true, true, false, true]);
  });

  test("are compared within a round, so that a machine which changes speed changes no ratio", () => {
    expect(pairedRatio([100, 300, 50], [200, 600, 100])).toEqual({ median: 0.5, spread: 0 });
  });

  test("leave out a round in which one of both failed", () => {
    expect(pairedRatio([100, null, 50], [200, 1, null])).toEqual({ median: 0.5, spread: 0 });
    expect(pairedRatio([null], [1])).toBeNull();
    expect(pairedRatio([1], [])).toBeNull();
  });
});

describe("subjects", () => {
  const SUBJECTS: Compared[] = [
    { name: "base" },
    { name: "fails", of: "base" },
    { name: "ours", of: "base" },
  ];

  test("are measured in turns", async () => {
    const order: string[] = [];
    await measureInRounds(SUBJECTS, 2, ({ name }, round) => {
      order.push(`${name} ${round}`);
      return Promise.resolve(taking(1));
    });
    expect(order).toEqual(["base 0", "fails 0", "ours 0", "base 1", "fails 1", "ours 1"]);
  });

  test("that fail are named with what they said, and the others are measured", async () => {
    const rows = await measureInRounds(SUBJECTS, 3, ({ name }, round) =>
      name === "fails"
        ? Promise.reject(new Error("answered 503"))
        : Promise.resolve(taking((name === "base" ? 100 : 200) * (round + 1))),
    );
    expect(rows.map(({ name, cpuMicros, ratio }) => [name, cpuMicros, ratio])).toEqual([
      ["base", 200, null],
      ["fails", null, null],
      ["ours", 400, 0.5],
    ]);
    expect(rows[1]?.failure).toBe("3 of 3 rounds: answered 503");
    expect(rows[0]).not.toHaveProperty("failure");
    expect(rows[2]?.spread).toBe(0);
  });

  test("that fail in one round keep the figures of the others", async () => {
    const [row] = await measureInRounds([{ name: "ours" }], 3, (_, round) =>
      round === 1 ? Promise.reject(new Error("closed")) : Promise.resolve(taking(100)),
    );
    expect(row).toMatchObject({ cpuMicros: 100, perSecond: 10_000, failure: "1 of 3 rounds: closed" });
  });

  test("whose reference failed have their own figures and no ratio", async () => {
    const [, , ours] = await measureInRounds(SUBJECTS, 1, ({ name }) =>
      name === "base" ? Promise.reject(new Error("closed")) : Promise.resolve(taking(100)),
    );
    expect(ours).toMatchObject({ cpuMicros: 100, ratio: null });
  });
});

describe("parts", () => {
  const row = (name: string): BenchRow => {
    return { name, perSecond: 1, cpuMicros: 1, ratio: null, of: null, target: null, note: "" };
  };
  const part = (name: string) => [name, () => Promise.resolve([row(`${name} row`)])] as const;
  const broken = ["broken", () => Promise.reject(new Error("no port"))] as const;

  test("are handed over as they end, and one that fails loses none of the rest", async () => {
    const seen: string[] = [];
    const rows = await runParts([part("first"), broken, part("last")], ({ name, rows: own }) => {
      seen.push(`${name}: ${own.map((one) => one.failure ?? one.name).join()}`);
    });
    expect(seen).toEqual(["first: first row", "broken: no port", "last: last row"]);
    expect(rows.map(({ name }) => name)).toEqual(["first row", "broken", "last row"]);
  });

  test("are printed with what failed and what was not stable", () => {
    const lines = tableLines([
      { ...row("calm"), spread: 0.012 },
      { ...row("shaky"), spread: 0.2 },
      { ...row("gone"), perSecond: null, cpuMicros: null, failure: "5 of 5 rounds: answered 503" },
    ]);
    expect(lines[1]).toMatch(/^calm .*±1\.2 %$/);
    expect(lines[2]).toMatch(/^shaky .*±20 % unstable$/);
    expect(lines[3]).toMatch(/^gone +FAILED: 5 of 5 rounds: answered 503$/);
  });
});
