import { describe, expect, test } from "vitest";
import {
  daysOfHours,
  firstHourOf,
  hoursBySubject,
  type HourSpend,
  HourSums,
  type HourTotal,
} from "../../../src/domain/forecast/hours.ts";
import { drawNormal, seededRandom } from "../../../src/domain/forecast/random.ts";
import { unusualHours } from "../../../src/domain/forecast/unusual-hours.ts";
import { type SubjectDays, unusualSpend, withHours } from "../../../src/domain/forecast/unusual-subjects.ts";

const FIRST = 20_000;
const WEEK = { from: FIRST + 28, to: FIRST + 34, today: FIRST + 35 };
/** An hour of a weekday in which people work. */
const PLANTED = firstHourOf(WEEK.from + 4) + 14;

const usualOf = (hours: readonly HourTotal[]) => {
  const values = daysOfHours(hours.filter(({ hour }) => hour < firstHourOf(WEEK.from))).map(
    ({ value }) => value,
  );
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
};

const foundIn = (hours: readonly HourTotal[], sensitivity: "low" | "normal" | "high" | "off" = "normal") =>
  unusualHours(hours, daysOfHours(hours), { ...WEEK, sensitivity, usualUsd: usualOf(hours) });

/** What an org spends by hour: more by day than by night, less on weekends, growing or shrinking, and by chance. */
function simulated(random: () => number): HourTotal[] {
  const base = Math.exp(4 * random());
  const night = 0.05 + 0.95 * random();
  const weekend = 0.1 + 0.9 * random();
  const growth = (random() - 0.3) / 100;
  const noise = 0.1 + 0.5 * random();
  const cost = 0.01 * Math.exp(2 * random());
  return Array.from({ length: 35 * 24 }, (_, at) => {
    const [day, hour] = [Math.floor(at / 24), at % 24];
    const value =
      base *
      (1 + growth * day) *
      (day % 7 < 5 ? 1 : weekend) *
      (hour >= 8 && hour < 18 ? 1 : night) *
      Math.exp(noise * drawNormal(random));
    return { hour: firstHourOf(FIRST) + at, value, runs: Math.round(value / cost) };
  });
}

describe("over 1,000 simulated orgs", () => {
  const random = seededRandom(20_261_119);
  const orgs = Array.from({ length: 1000 }, () => simulated(random));

  test.each([
    ["low", 2],
    ["normal", 5],
    ["high", 12],
  ] as const)(
    "%s sensitivity raises a false alarm of an hour for %d of them in a week",
    (sensitivity, most) => {
      expect(orgs.filter((hours) => foundIn(hours, sensitivity).length > 0).length).toBe(most);
    },
  );

  test("an hour of ten times the usual is found for 911 of them", () => {
    const found = orgs.filter((hours) => {
      const planted = hours.map((one) =>
        one.hour === PLANTED ? { ...one, value: 10 * one.value, runs: 10 * one.runs } : one,
      );
      return foundIn(planted).some(({ hour }) => hour === PLANTED);
    });
    expect(found.length).toBe(911);
  });
});

/** Twenty runs and two dollars an hour, for so many days. */
const steady = (days: number): HourTotal[] =>
  Array.from({ length: days * 24 }, (_, at) => ({
    hour: firstHourOf(WEEK.from - days) + at,
    value: 2 + (at % 3) / 10,
    runs: 20,
  }));
const loop = (days: number, { value = 40, runs = 400 } = {}): HourTotal[] => [
  ...steady(days),
  { hour: PLANTED, value, runs },
];

describe("an hour", () => {
  test("of a loop is found, with its own figures", () => {
    expect(foundIn(loop(28))).toMatchObject([{ hour: PLANTED, usd: 40, direction: "above" }]);
    const [found] = foundIn(loop(28));
    expect(found?.expected).toBeGreaterThan(1.5);
    expect(found?.expected).toBeLessThan(2.5);
  });

  test("is left alone until there are two weeks of hours before", () => {
    expect(foundIn(loop(13))).toEqual([]);
    expect(foundIn(loop(14))).toHaveLength(1);
    expect(foundIn([])).toEqual([]);
    // Days are known for longer than hours, whose runs retention may have deleted.
    const asked = { ...WEEK, sensitivity: "normal", usualUsd: 48 } as const;
    expect(unusualHours(loop(13), daysOfHours(loop(28)), asked)).toEqual([]);
    expect(unusualHours(loop(14), daysOfHours(loop(28)), asked)).toHaveLength(1);
  });

  test("is silent if the org wants to hear of nothing", () => {
    expect(foundIn(loop(28), "off")).toEqual([]);
  });

  test("of few runs is not unusual, however much they cost", () => {
    expect(foundIn(loop(28, { runs: 9 }))).toEqual([]);
    expect(foundIn(loop(28, { runs: 10 }))).toHaveLength(1);
  });

  test("that is above by less than a tenth of the org's day concerns nobody", () => {
    expect(foundIn(loop(28, { value: 6 }))).toEqual([]);
    expect(foundIn(loop(28, { value: 9 }))).toHaveLength(1);
  });

  test("that is little above the highest of four weeks is usual", () => {
    const before = loop(28).map((one, at) => (at === 200 ? { ...one, value: 30 } : one));
    expect(foundIn(before)).toEqual([]);
  });

  test("is unusual whatever was spent in an hour of more than four weeks ago, and is listed alone", () => {
    const before = loop(35).map((one, at) => (at === 20 ? { ...one, value: 400, runs: 400 } : one));
    expect(foundIn(before).map(({ hour }) => hour)).toEqual([PLANTED]);
    const asked = { ...WEEK, sensitivity: "normal", usualUsd: 48 } as const;
    expect(unusualHours(before, daysOfHours(loop(28)), asked)).toHaveLength(1);
  });

  test("of a later day than today is not looked at, nor one before", () => {
    const hours = loop(28);
    const asked = { ...WEEK, sensitivity: "normal", usualUsd: 48 } as const;
    expect(unusualHours(hours, daysOfHours(hours), { ...asked, today: WEEK.from + 3 })).toEqual([]);
    expect(unusualHours(hours, daysOfHours(hours), { ...asked, today: WEEK.from - 2 })).toEqual([]);
    expect(unusualHours(hours, daysOfHours(hours), { ...asked, from: WEEK.from + 5 })).toEqual([]);
  });
});

describe("a day", () => {
  const spends = (hours: readonly HourTotal[], kind: "org" | "key", id: string): HourSpend[] =>
    hours.map(({ hour, value, runs }) => [hour, kind, id, value, runs]);
  const org = (hours: readonly HourTotal[]): SubjectDays => ({
    kind: "org",
    id: null,
    days: daysOfHours(hours),
  });
  const listed = (hours: readonly HourTotal[], known: readonly HourSpend[], to = WEEK.today) => {
    const all = withHours([org(hours)], { bySubject: hoursBySubject(known), to }, WEEK);
    return all.flatMap((subject) => unusualSpend(subject, org(hours), { ...WEEK, sensitivity: "normal" }));
  };
  /** The whole week as usual, and a loop in one hour, or two. */
  const week = (value: number): HourTotal[] =>
    steady(35)
      .map((one) => ({ ...one, hour: one.hour + 7 * 24 }))
      .map((one) => (one.hour === PLANTED || one.hour === PLANTED + 2 ? { ...one, value, runs: 400 } : one));

  test("is listed once: as a day if it is unusual as a whole, else by its highest hour", () => {
    const hours = week(12).map((one) => (one.hour === PLANTED + 2 ? { ...one, value: 13 } : one));
    expect(listed(hours, spends(hours, "org", ""))).toMatchObject([
      { subject_kind: "org", hour: new Date((PLANTED + 2) * 3_600_000).toISOString(), spent_usd: "13.00" },
    ]);
    const more = week(200);
    expect(listed(more, spends(more, "org", ""))).toMatchObject([{ subject_kind: "org", hour: null }]);
  });

  test("is looked at for the thirty keys and the thirty users that spent most in the days asked for", () => {
    const quiet = week(2);
    const spent = (kind: "key" | "user", at: number): HourSpend[] => [
      [PLANTED, kind, `${kind}-${at}`, at, 1],
      // What was spent before the days asked for does not count.
      [firstHourOf(FIRST), kind, `${kind}-${at}`, 1000 - at, 1],
    ];
    // Whoever spent nothing in them is not looked at.
    expect(withHours([], { bySubject: hoursBySubject(spent("key", 0)), to: WEEK.today }, WEEK)).toEqual([]);
    const known = (["key", "user"] as const).flatMap((kind) =>
      Array.from({ length: 33 }, (_, at) => spent(kind, at)).flat(),
    );
    const all = withHours([org(quiet)], { bySubject: hoursBySubject(known), to: WEEK.today }, WEEK);
    for (const kind of ["key", "user"]) {
      const ids = all.filter((one) => one.kind === kind).map(({ id }) => id);
      expect(ids).toEqual(Array.from({ length: 30 }, (_, at) => `${kind}-${32 - at}`));
    }
  });

  test("of a subject concerns nobody by what the org spends now, not by what it spent months ago", () => {
    const subject = { kind: "customer", id: "c", days: daysOfHours(week(200)) } as const;
    const old = Array.from({ length: 60 }, (_, at) => ({ day: WEEK.from - 100 + at, value: 100_000 }));
    const asked = { ...WEEK, sensitivity: "normal" } as const;
    const days = [...old, ...daysOfHours(steady(28))];
    expect(unusualSpend(subject, { kind: "org", id: null, days }, asked)).toHaveLength(1);
  });

  test("of a key is the sum of its hours, and none after they are known is below", () => {
    const hours = week(200);
    const known = [...spends(hours, "org", ""), ...spends(hours, "key", "key_1")];
    expect(listed(hours, known)).toMatchObject([
      { subject_kind: "org" },
      { subject_kind: "key", hour: null },
    ]);
    const until = known.filter(([hour]) => hour < firstHourOf(WEEK.from + 1) + 2);
    const quiet = steady(35).map((one) => ({ ...one, hour: one.hour + 7 * 24 }));
    expect(listed(quiet, until, WEEK.from + 1)).toEqual([]);
    expect(listed(quiet, until).some(({ direction }) => direction === "below")).toBe(true);
  });
});

describe("sums by hour", () => {
  test("keep the thirty of each kind that spent most", () => {
    const sums = new HourSums();
    for (let at = 0; at < 40; at += 1) sums.add([1, "user", `user-${at}`, at, 1]);
    sums.add([1, "user", "user-0", 100, 1]);
    sums.add([1, "key", "key_1", 1, 1]);
    const rows = sums.rows(1);
    expect(rows).toHaveLength(31);
    expect(rows[0]).toEqual([1, "user", "user-0", 100, 2]);
    expect(hoursBySubject(rows).get("user")?.has("user-10")).toBe(false);
    expect(hoursBySubject(rows).get("user")?.has("user-11")).toBe(true);
  });
});
