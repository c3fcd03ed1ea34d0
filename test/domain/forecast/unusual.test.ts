import { describe, expect, test } from "vitest";
import { DAY_MS, type MadeRun, northwindRuns } from "../../../scripts/northwind/runs.ts";
import { normal, repeatableRandom } from "../../../src/domain/forecast/random.ts";
import type { DayTotal } from "../../../src/domain/forecast/series.ts";
import { unusualDays } from "../../../src/domain/forecast/unusual.ts";
import { type SubjectDays, unusualSpend } from "../../../src/domain/forecast/unusual-subjects.ts";

const NOON = Date.parse("2026-11-16T12:00:00Z");
const TODAY = Math.floor(NOON / DAY_MS);
const PLANTED = 2;
const GLOBEX = "globex";

const dayOfRun = ({ body }: MadeRun) => Math.floor(Date.parse(body.started_at) / DAY_MS);
const weekOf = (run: MadeRun) => Math.ceil((TODAY - dayOfRun(run)) / 7);

function daysOf(runs: readonly MadeRun[]): DayTotal[] {
  const byDay = new Map<number, number>();
  for (const run of runs) byDay.set(dayOfRun(run), (byDay.get(dayOfRun(run)) ?? 0) + run.dollars);
  return [...byDay].map(([day, value]) => ({ day, value })).toSorted((one, other) => one.day - other.day);
}

function partsOf(kind: "model" | "customer", nameOf: (run: MadeRun) => string): SubjectDays[] {
  const parts = [...Map.groupBy(company, nameOf)];
  return parts.map(([id, runs]) => ({ kind, id, days: daysOf(runs) }));
}

/** The company, in which one customer spends eight times as much in one week. */
const company = northwindRuns(NOON).map((run) =>
  run.body.customer_id === GLOBEX && weekOf(run) === PLANTED ? { ...run, dollars: 8 * run.dollars } : run,
);
const org: SubjectDays = { kind: "org", id: null, days: daysOf(company) };
const subjects: SubjectDays[] = [
  org,
  ...partsOf("model", ({ body }) => body.model),
  ...partsOf("customer", ({ body }) => body.customer_id),
];

const foundIn = (week: number) =>
  subjects.flatMap((subject) =>
    unusualSpend(subject, org, {
      from: TODAY - 7 * week,
      to: TODAY - 7 * week + 6,
      today: TODAY,
      sensitivity: "normal",
    }),
  );

describe("at the made-up company", () => {
  test("the planted week is found, for the customer and for the whole org", () => {
    const found = foundIn(PLANTED);
    const named = new Set(found.map(({ subject_kind, subject_id }) => `${subject_kind} ${subject_id}`));
    expect(named).toContain(`customer ${GLOBEX}`);
    expect(named).toContain("org null");
    expect(found.every(({ direction }) => direction === "above")).toBe(true);
    const customers = found.filter(({ subject_kind: kind }) => kind === "customer");
    expect(new Set(customers.map(({ subject_id }) => subject_id))).toEqual(new Set([GLOBEX]));
  });

  test("the weeks around it are silent", () => {
    for (const week of [1, 3]) expect(foundIn(week)).toEqual([]);
  });
});

const FIRST = 20_000;

/** What an org spends that grows or shrinks, rests on weekends, and varies from day to day. */
function simulated(random: () => number): DayTotal[] {
  const base = 5 * Math.exp(4 * random());
  const weekend = 0.1 + 0.9 * random();
  const growth = (random() - 0.3) / 100;
  const noise = 0.05 + 0.35 * random();
  return Array.from({ length: 68 }, (_, at) => ({
    day: FIRST + at,
    value: base * (1 + growth * at) * (at % 7 < 5 ? 1 : weekend) * Math.exp(noise * normal(random)),
  }));
}

const WEEK = { from: FIRST + 60, to: FIRST + 66, today: FIRST + 67 };

describe("over 1,000 simulated orgs", () => {
  const random = repeatableRandom(20_261_117);
  const orgs = Array.from({ length: 1000 }, () => simulated(random));

  test.each([
    ["low", 1],
    ["normal", 3],
    ["high", 7],
  ] as const)("%s sensitivity raises a false alarm for %d of them in a week", (sensitivity, most) => {
    const alarmed = orgs.filter((days) => unusualDays(days, { ...WEEK, sensitivity }).length > 0);
    expect(alarmed.length).toBe(most);
  });

  test("a weekday of five times the usual is found for 942 of them", () => {
    const found = orgs.filter((days) => {
      const planted = days.map(({ day, value }) => ({
        day,
        value: day === WEEK.from + 4 ? 5 * value : value,
      }));
      return unusualDays(planted, { ...WEEK, sensitivity: "normal" }).some(
        ({ day }) => day === WEEK.from + 4,
      );
    });
    expect(found.length).toBe(942);
  });
});

describe("a subject", () => {
  const steady = (days: number) =>
    Array.from({ length: days }, (_, at) => ({ day: FIRST + at, value: 10 + (at % 3) }));
  const spike = (days: number) => [...steady(days), { day: FIRST + days, value: 500 }];

  test("is left alone until it has two weeks of days", () => {
    const at = (days: number) =>
      unusualDays(spike(days), {
        from: FIRST + days,
        to: FIRST + days,
        today: FIRST + days,
        sensitivity: "high",
      });
    expect(at(13)).toEqual([]);
    expect(at(14)).toMatchObject([{ direction: "above", usd: 500 }]);
    expect(unusualDays([], { from: 1, to: 2, today: 2, sensitivity: "high" })).toEqual([]);
  });

  test("is silent if the org wants to hear of nothing", () => {
    const asked = { from: FIRST + 30, to: FIRST + 30, today: FIRST + 31 };
    expect(unusualDays(spike(30), { ...asked, sensitivity: "low" })).toHaveLength(1);
    expect(unusualDays(spike(30), { ...asked, sensitivity: "off" })).toEqual([]);
  });

  test("is below what is usual only once a day is over", () => {
    const asked = { from: FIRST + 30, to: FIRST + 30, sensitivity: "normal" } as const;
    expect(unusualDays(steady(30), { ...asked, today: FIRST + 30 })).toEqual([]);
    expect(unusualDays(steady(30), { ...asked, today: FIRST + 31 })).toMatchObject([
      { direction: "below", usd: 0 },
    ]);
  });

  test("that differs by cents, or by little of what the org spends, concerns nobody", () => {
    const cents = [...steady(30).map(({ day }) => ({ day, value: 0.01 })), { day: FIRST + 30, value: 0.9 }];
    const asked = { from: FIRST + 30, to: FIRST + 30, today: FIRST + 31, sensitivity: "high" } as const;
    expect(unusualDays(cents, asked)).toEqual([]);
    expect(unusualDays(spike(30), { ...asked, usualUsd: 10_000 })).toEqual([]);
  });

  test("that always spends in bursts is silent about another one", () => {
    const bursts = Array.from({ length: 60 }, (_, at) => ({
      day: FIRST + at,
      value: at % 9 === 0 ? 100 : 1,
    }));
    const asked = { from: FIRST + 40, to: FIRST + 59, today: FIRST + 60, sensitivity: "high" } as const;
    expect(unusualDays(bursts, asked)).toEqual([]);
  });
});
