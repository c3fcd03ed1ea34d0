import { describe, expect, test } from "vitest";
import {
  firstHourOf,
  hoursBySubject,
  type HourSpend,
  HourSums,
  type SubjectKind,
  withNewHours,
} from "../../../src/domain/forecast/hours.ts";
import { drawNormal, seededRandom } from "../../../src/domain/forecast/random.ts";
import {
  allUnusual,
  hoursMatter,
  KEPT_DAYS,
  pickStandingOut,
  type SubjectDays,
  withHours,
} from "../../../src/domain/forecast/unusual-subjects.ts";

const TODAY = 20_100;
const random = seededRandom(20_261_118);
const pick = (most: number) => Math.floor(random() * most);

/** What somebody spent in each hour of 60 days, with a day or an hour now and then that is many times as much, or nothing. */
function drawn(kind: SubjectKind, id: string): HourSpend[] {
  const base = Math.exp(4 * random() - 2);
  const noise = random();
  const gaps = random() < 0.3 ? 0.5 : 0;
  const [day, hour] = [TODAY - pick(30), firstHourOf(TODAY - pick(30)) + pick(24)];
  const [ofDay, ofHour] = [random() < 0.4 ? [0, 5, 20][pick(3)] : 1, random() < 0.4 ? 50 : 1];
  return Array.from({ length: 60 * 24 }, (_, at): HourSpend => {
    const now = firstHourOf(TODAY - 59) + at;
    const times = (Math.floor(now / 24) === day ? (ofDay ?? 1) : 1) * (now === hour ? ofHour : 1);
    return [now, kind, id, base * times * Math.exp(noise * drawNormal(random)), 5 + pick(20)];
  }).filter(() => random() >= gaps);
}

function daysOf(spends: readonly HourSpend[]): SubjectDays["days"] {
  return [...Map.groupBy(spends, ([hour]) => Math.floor(hour / 24))].map(([day, some]) => ({
    day,
    value: some.reduce((sum, [, , , usd]) => sum + usd, 0),
    runs: some.reduce((sum, [, , , , runs]) => sum + runs, 0),
  }));
}

/** An org of some models, customers, keys and users: all its days, and the hours that are kept. */
function drawnOrg() {
  const named = (["model", "customer", "key", "user"] as const).flatMap((kind) =>
    Array.from({ length: 1 + pick(4) }, (_, at) => drawn(kind, `${kind}-${at}`)),
  );
  const org = named
    .filter(([first]) => first?.[1] === "model")
    .flat()
    .map(([hour, , , usd, runs]): HourSpend => [hour, "org", "", usd, runs]);
  const sums = new HourSums();
  for (const spend of [...org, ...named.flat()]) {
    if (spend[0] >= firstHourOf(TODAY - KEPT_DAYS)) sums.add(spend);
  }
  const subjects: SubjectDays[] = [
    { kind: "org", id: null, days: daysOf(org) },
    ...named.flatMap((spends) => {
      const [, kind, id] = spends[0] ?? [];
      const isDaily = kind === "model" || kind === "customer";
      return isDaily && id !== undefined ? [{ kind, id, days: daysOf(spends) }] : [];
    }),
  ];
  return { subjects, hours: { bySubject: hoursBySubject(sums.rows()), to: TODAY } };
}

const orgs = Array.from({ length: 60 }, drawnOrg);
const asks = orgs.map(() => {
  const from = TODAY - pick(30);
  return { from, to: from + pick(TODAY - from + 2), today: TODAY, sensitivity: "normal" } as const;
});

describe("over 60 drawn orgs", () => {
  test("what stands out has every unusual day and hour of all subjects", () => {
    let [found, left] = [0, 0];
    for (const [at, { subjects, hours }] of orgs.entries()) {
      const asked = asks[at] ?? { from: 0, to: 0, today: TODAY, sensitivity: "normal" };
      const all = withHours(subjects, hours, asked);
      const some = pickStandingOut(all, asked);
      const expected = allUnusual(all, asked);
      expect(allUnusual(some, asked)).toEqual(expected);
      found += expected.length;
      left += all.length - some.length;
    }
    // Neither is about nothing.
    expect(found).toBeGreaterThan(30);
    expect(left).toBeGreaterThan(200);
  });

  test("hours show nothing of days that they do not matter for", () => {
    let skipped = 0;
    for (const [at, { subjects, hours }] of orgs.entries()) {
      const asked = asks[at] ?? { from: 0, to: 0, today: TODAY, sensitivity: "normal" };
      if (hoursMatter(asked)) continue;
      skipped += 1;
      expect(allUnusual(withHours(subjects, hours, asked), asked)).toEqual(allUnusual(subjects, asked));
    }
    expect(skipped).toBeGreaterThan(10);
    expect([
      hoursMatter({ from: TODAY - 21, today: TODAY }),
      hoursMatter({ from: TODAY - 22, today: TODAY }),
    ]).toEqual([true, false]);
  });
});

test("hours that change one after another are those of all at once", () => {
  for (let round = 0; round < 50; round += 1) {
    const known = new Map<number, HourSpend[]>();
    let bySubject = hoursBySubject([]);
    for (let change = 0; change < 6; change += 1) {
      const hours = new Set(Array.from({ length: pick(4) }, () => pick(12)));
      const spends = [...hours].map((hour) =>
        Array.from({ length: 1 + pick(4) }, (_, at): HourSpend => [
          hour,
          at % 2 === 0 ? "key" : "user",
          `id-${pick(3)}-${at}`,
          pick(100),
          1,
        ]),
      );
      for (const some of spends) known.set(some[0]?.[0] ?? 0, some);
      bySubject = withNewHours(bySubject, spends.flat());
    }
    const expected = hoursBySubject([...known.values()].flat());
    for (const kind of ["key", "user"] as const) {
      const left = [...(bySubject.get(kind) ?? [])].filter(([, hours]) => hours.length > 0);
      expect(new Map(left)).toEqual(expected.get(kind) ?? new Map());
    }
  }
});
