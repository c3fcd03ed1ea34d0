import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { chooseModel } from "../../../src/domain/forecast/choose.ts";
import { bandsOf, simulate } from "../../../src/domain/forecast/paths.ts";
import type { DailySeries } from "../../../src/domain/forecast/series.ts";
import { HELD_OUT_DAYS, sample, SHAPE_NAMES } from "./shapes.ts";

const SAMPLES = 12;

type Score = { model: number; lastValue: number; linear: number; inBand: number };

/** Mean absolute errors over the held-out month, and the share of days inside p10 to p90. */
function backTest(name: string): Score {
  const total = { model: 0, lastValue: 0, linear: 0, inBand: 0 };
  let days = 0;
  for (let seed = 0; seed < SAMPLES; seed += 1) {
    const { past, future } = sample(name, seed);
    const bands = bandsOf(simulate(chooseModel(past, HELD_OUT_DAYS), HELD_OUT_DAYS), HELD_OUT_DAYS);
    const lastValue = past.values.findLast((value) => value !== null) ?? 0;
    const line = leastSquares(past);
    for (const [index, actual] of future.entries()) {
      const band = bands[index];
      if (actual === null || band === undefined) continue;
      days += 1;
      total.model += Math.abs(actual - band.p50);
      total.lastValue += Math.abs(actual - lastValue);
      total.linear += Math.abs(actual - line(past.values.length + index));
      total.inBand += actual >= band.p10 && actual <= band.p90 ? 1 : 0;
    }
  }
  return {
    model: total.model / days,
    lastValue: total.lastValue / days,
    linear: total.linear / days,
    inBand: total.inBand / days,
  };
}

function leastSquares(series: DailySeries): (index: number) => number {
  const points = series.values.flatMap((value, index) => (value === null ? [] : [[index, value] as const]));
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length;
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const slope = covariance / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return (index) => meanY + slope * (index - meanX);
}

/** The maximum error of the model, relative to each plain baseline. */
const BOUNDS: Record<string, { overLastValue: number; overLinear: number }> = {
  flat: { overLastValue: 0.85, overLinear: 1.05 },
  linear: { overLastValue: 0.4, overLinear: 1.1 },
  weekly: { overLastValue: 0.2, overLinear: 0.2 },
  growing: { overLastValue: 0.45, overLinear: 0.4 },
  outliers: { overLastValue: 0.9, overLinear: 0.8 },
  gaps: { overLastValue: 0.25, overLinear: 0.25 },
  short: { overLastValue: 1, overLinear: 0.9 },
};

describe("a held-out month", () => {
  const scores = new Map(SHAPE_NAMES.map((name) => [name, backTest(name)]));

  test.each(SHAPE_NAMES)("of a %s series is predicted within its bound of last value and linear", (name) => {
    const score = scores.get(name);
    const bound = BOUNDS[name];
    expect(score?.model).toBeLessThanOrEqual((score?.lastValue ?? 0) * (bound?.overLastValue ?? 0));
    expect(score?.model).toBeLessThanOrEqual((score?.linear ?? 0) * (bound?.overLinear ?? 0));
  });

  test.each(SHAPE_NAMES)("of a %s series lies in the 80 % band on 70 to 90 % of days", (name) => {
    expect(scores.get(name)?.inBand).toBeGreaterThan(0.7);
    expect(scores.get(name)?.inBand).toBeLessThan(0.9);
  });

  test.each(SHAPE_NAMES)("of a %s series is predicted as well as docs/forecasts.md says", (name) => {
    const row = readFileSync("docs/forecasts.md", "utf8").match(
      new RegExp(`^\\| ${name} \\|(.*)\\|$`, "m"),
    )?.[1];
    const stated = row?.split("|").map(Number) ?? [];
    const { model, lastValue, linear, inBand } = scores.get(name) ?? backTest(name);
    const measured = [model, lastValue, linear, inBand * 100];
    expect(stated).toHaveLength(measured.length);
    for (const [index, value] of measured.entries()) expect(stated[index]).toBeCloseTo(value, 1);
  });

  test("lies in the 80 % band on 77 to 83 % of days over all shapes", () => {
    const shares = [...scores.values()].map((score) => score.inBand);
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    expect(mean).toBeGreaterThan(0.77);
    expect(mean).toBeLessThan(0.83);
  });
});
