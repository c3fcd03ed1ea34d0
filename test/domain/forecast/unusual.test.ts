import { describe, expect, test } from "vitest";
import { DAY_MS, type MadeRun, northwindRuns } from "../../../scripts/northwind/runs.ts";
import { drawNormal, seededRandom } from "../../../src/domain/forecast/random.ts";
import {
  hoursBySubject,
  type HourSpend,
  HourSums,
  hourOf,
  type SubjectKind,
} from "../../../src/domain/forecast/hours.ts";
import type { DayTotal } from "../../../src/domain/forecast/series.ts";
import {
  daysOutside,
  expectedDays,
  type Sensitivity,
  type SpentDay,
  unusualDays,
} from "../../../src/domain/forecast/unusual.ts";
import { type SubjectDays, unusualSpend, withHours } from "../../../src/domain/forecast/unusual-subjects.ts";

const NOON = Date.parse("2026-11-16T12:00:00Z");
const TODAY = Math.floor(NOON / DAY_MS);
const PLANTED = 2;
const GLOBEX = "globex";

const dayOfRun = ({ body }: MadeRun) => Math.floor(Date.parse(body.started_at) / DAY_MS);

function daysOf(runs: readonly MadeRun[]): SpentDay[] {
  return [...Map.groupBy(runs, dayOfRun)]
    .map(([day, some]) => ({
      day,
      value: some.reduce((sum, { dollars }) => sum + dollars, 0),
      runs: some.length,
    }))
    .toSorted((one, other) => one.day - other.day);
}

/** What is known of hours when a week is looked at. */
function hoursBefore(to: number): HourSpend[] {
  const sums = new HourSums();
  for (const run of company) {
    const { model, customer_id: customer, user_id: user, started_at: startedAt } = run.body;
    if (dayOfRun(run) > to || dayOfRun(run) <= to - 35) continue;
    const add = (kind: SubjectKind, id: string) =>
      sums.add([hourOf(Date.parse(startedAt)), kind, id, run.dollars, 1]);
    add("org", "");
    add("model", model);
    add("customer", customer);
    add("key", run.key);
    add("user", user);
  }
  return sums.rows();
}

function partsOf(kind: "model" | "customer", nameOf: (run: MadeRun) => string): SubjectDays[] {
  const parts = [...Map.groupBy(company, nameOf)];
  return parts.map(([id, runs]) => ({ kind, id, days: daysOf(runs) }));
}

/** The company, in which one customer spends eight times as much in one week. */
const company = northwindRuns(NOON);
const org: SubjectDays = { kind: "org", id: null, days: daysOf(company) };
const subjects: SubjectDays[] = [
  org,
  ...partsOf("model", ({ body }) => body.model),
  ...partsOf("customer", ({ body }) => body.customer_id),
];

function foundIn(week: number) {
  const asked = { from: TODAY - 7 * week, to: TODAY - 7 * week + 6, today: TODAY } as const;
  const known = { bySubject: hoursBySubject(hoursBefore(asked.to)), to: TODAY };
  return withHours(subjects, known, asked).flatMap((subject) =>
    unusualSpend(subject, org, { ...asked, sensitivity: "normal" }),
  );
}

describe("at the made-up company", () => {
  test("the planted week is found, for the customer and for the whole org", () => {
    const found = foundIn(PLANTED);
    const named = new Set(found.map(({ subject_kind, subject_id }) => `${subject_kind} ${subject_id}`));
    expect(named).toContain(`customer ${GLOBEX}`);
    expect(named).toContain("org null");
    expect(found.every(({ direction }) => direction === "above")).toBe(true);
    // One key and one user do most of what is done for that customer.
    expect(named).toContain("key Sales assistant");
    expect(named).toContain("user omar.haddad");
    const customers = found.filter(({ subject_kind: kind }) => kind === "customer");
    expect(new Set(customers.map(({ subject_id }) => subject_id))).toEqual(new Set([GLOBEX]));
  });

  test("all other weeks that have enough days before them are silent", () => {
    for (const week of [1, 3, 4, 5, 6]) expect(foundIn(week)).toEqual([]);
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
    value: base * (1 + growth * at) * (at % 7 < 5 ? 1 : weekend) * Math.exp(noise * drawNormal(random)),
  }));
}

const WEEK = { from: FIRST + 60, to: FIRST + 66, today: FIRST + 67 };

describe("over 1,000 simulated orgs", () => {
  const random = seededRandom(20_261_117);
  const orgs = Array.from({ length: 1000 }, () => simulated(random));
  // What is expected comes from the days before, so it is the same for every week that follows them.
  const expected = orgs.map((days) => expectedDays(days, WEEK.from, 7) ?? []);
  const outside = (sensitivity: Sensitivity, weekOf = (days: readonly DayTotal[]) => days, usualUsd = 0) =>
    orgs.map((days, at) => daysOutside(expected[at] ?? [], weekOf(days), { ...WEEK, sensitivity, usualUsd }));

  test.each([
    ["low", 1],
    ["normal", 3],
    ["high", 7],
  ] as const)("%s sensitivity raises a false alarm for %d of them in a week", (sensitivity, most) => {
    const alarmed = outside(sensitivity).filter((days) => days.length > 0);
    expect(alarmed.length).toBe(most);
  });

  test("a weekday of five times the usual is found for 942 of them", () => {
    const planted = WEEK.from + 4;
    const weekOf = (days: readonly DayTotal[]) =>
      days.map(({ day, value }) => ({ day, value: day === planted ? 5 * value : value }));
    const found = outside("normal", weekOf).filter((days) => days.some(({ day }) => day === planted));
    expect(found.length).toBe(942);
  });

  test.each([
    ["as they are", 1, 0],
    ["with a day of twice as much", 2, 0],
    ["with a day of a tenth", 0.1, 0],
    ["with a day of three times as much, of a part of an org", 3, 500],
  ])("no unusual day is missed where no forecast is made: days %s", (_, factor, usualUsd) => {
    const weekOf = (days: readonly DayTotal[]) =>
      days.map(({ day, value }) => ({ day, value: day === WEEK.from + 3 ? factor * value : value }));
    const all = outside("high", weekOf, usualUsd);
    const found = orgs
      .slice(0, 150)
      .map((days) => unusualDays(weekOf(days), { ...WEEK, sensitivity: "high", usualUsd }));
    expect(found).toEqual(all.slice(0, 150));
    expect(found.some((days) => days.length > 0)).toBe(true);
  });
});

/** What somebody spends who makes a few calls a day, of which some are many times as expensive as others. */
function fewCalls(random: () => number): SpentDay[] {
  const calls = 2 + 30 * random();
  const cost = 0.2 * Math.exp(2 * random());
  return Array.from({ length: 28 }, (_, at) => {
    const runs = Math.max(0, Math.round(calls + Math.sqrt(calls) * drawNormal(random)));
    const costs = Array.from({ length: runs }, () => cost * Math.exp(drawNormal(random)));
    return { day: FIRST + at, value: costs.reduce((sum, one) => sum + one, 0), runs };
  });
}

describe("over 1,000 simulated customers with 2 to 32 calls a day", () => {
  const random = seededRandom(20_261_118);
  const customers = Array.from({ length: 1000 }, () => fewCalls(random));
  const week = { from: FIRST + 21, to: FIRST + 27, today: FIRST + 28, sensitivity: "normal" } as const;
  const expected = customers.map((days) => expectedDays(days, week.from, 7) ?? []);
  const isAlarmed = (days: readonly SpentDay[], at: number) =>
    daysOutside(expected[at] ?? [], days, week).length > 0;

  test("0 have a false alarm in a week", () => {
    expect(customers.filter(isAlarmed).length).toBe(0);
  });

  test("7 would have one if the number of calls did not count", () => {
    const uncounted = customers.map((days) => days.map(({ day, value }) => ({ day, value })));
    expect(uncounted.filter(isAlarmed).length).toBe(7);
  });

  test("a loop of a hundred times as many calls is found for each of the first hundred", () => {
    const looped = customers
      .slice(0, 100)
      .map((days) =>
        days.map((one) =>
          one.day === week.from + 4
            ? { ...one, value: 100 * Math.max(one.value, 0.5), runs: 100 * Math.max(one.runs ?? 0, 1) }
            : one,
        ),
      );
    expect(looped.filter(isAlarmed).length).toBe(100);
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

  test("is compared with what it spent in the last four weeks, not with a peak of long ago", () => {
    const days = spike(60).map((one) => (one.day === FIRST + 5 ? { ...one, value: 400 } : one));
    const asked = { from: FIRST + 60, to: FIRST + 60, today: FIRST + 61, sensitivity: "normal" } as const;
    expect(unusualDays(days, asked)).toMatchObject([{ direction: "above", usd: 500 }]);
  });

  test("is not unusual on days that have not come yet, whatever the clocks of callers say", () => {
    const asked = { from: FIRST + 30, to: FIRST + 32, sensitivity: "normal" } as const;
    const ahead = [...steady(31), { day: FIRST + 31, value: 500 }];
    expect(unusualDays(ahead, { ...asked, today: FIRST + 30 })).toEqual([]);
    expect(unusualDays(ahead, { ...asked, today: FIRST + 31 })).toHaveLength(1);
    expect(unusualDays(ahead, { ...asked, today: FIRST + 29 })).toEqual([]);
    expect(unusualDays(ahead, { ...asked, today: FIRST + 20 })).toEqual([]);
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
