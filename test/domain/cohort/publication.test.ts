import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { begun, counts, countsFrom, ended, type Tenure } from "../../../src/domain/cohort/membership.ts";
import { nextMonth, type Month } from "../../../src/domain/cohort/month.ts";
import { answerFor, distance, mayPublish, type Answer } from "../../../src/domain/cohort/publication.ts";

const FLOOR = 5;
const ORGS = Array.from({ length: 24 }, (_, index) => `org_${index}`);

/** Cohorts of one metric as an operator and orgs change them, built of nothing but the rules. */
class World {
  month: Month = "2026-01";
  readonly answers: Answer[] = [];
  readonly #members: Map<string, Tenure[]>[] = [new Map(), new Map()];
  readonly #contributing = new Map<string, Tenure[]>();
  readonly #given: Answer[][] = [[], []];
  readonly #read: boolean[] = [false, false];

  place(cohort: number, org: string, inside: boolean): void {
    const members = this.#members[cohort] ?? new Map<string, Tenure[]>();
    const from = countsFrom(this.month);
    members.set(org, (inside ? begun : ended)(members.get(org) ?? [], from));
  }

  contribute(org: string, contributes: boolean): void {
    const from = countsFrom(this.month);
    this.#contributing.set(org, (contributes ? begun : ended)(this.#contributing.get(org) ?? [], from));
  }

  read(cohort: number): Answer | null {
    const members = this.#members[cohort] ?? new Map<string, Tenure[]>();
    const holds = (tenures: Tenure[] | undefined) => counts(tenures ?? [], this.month, !this.#read[cohort]);
    const wanted = new Set(
      ORGS.filter((org) => holds(members.get(org)) && holds(this.#contributing.get(org))),
    );
    this.#read[cohort] = true;
    const own = this.#given[cohort] ?? [];
    const everyone = this.#given.flat().map((answer) => answer.members);
    const answer = answerFor(this.month, wanted, own, everyone, FLOOR);
    if (answer === null) return null;
    if (!own.includes(answer)) own.push(answer);
    this.answers.push(answer);
    return answer;
  }
}

type Step = { kind: "place" | "contribute" | "read" | "month"; cohort: number; orgs: string[]; on: boolean };

const aStep = (kind: Step["kind"], orgs: fc.Arbitrary<string[]>): fc.Arbitrary<Step> =>
  fc.record({ kind: fc.constant(kind), cohort: fc.nat(1), orgs, on: fc.boolean() });

const one = fc.shuffledSubarray(ORGS, { minLength: 1, maxLength: 1 });
const some = fc.subarray(ORGS);
const steps = fc.array(
  fc.oneof(
    aStep("place", some),
    aStep("place", one),
    aStep("contribute", one),
    aStep("contribute", some),
    aStep("month", fc.constant([])),
    aStep("read", fc.constant([])),
    aStep("read", fc.constant([])),
  ),
  { minLength: 20, maxLength: 60 },
);

function play(moves: readonly Step[]): World {
  const world = new World();
  for (const org of ORGS) {
    world.contribute(org, true);
    world.place(0, org, true);
  }
  for (const { kind, cohort, orgs, on } of moves) {
    if (kind === "read") world.read(cohort);
    if (kind === "month") world.month = nextMonth(world.month);
    for (const org of orgs) {
      if (kind === "place") world.place(cohort, org, on);
      if (kind === "contribute") world.contribute(org, on);
    }
  }
  return world;
}

describe("answers of cohorts of one metric", () => {
  test("never differ by fewer members than the floor, over a thousand pairs of reads", () => {
    let pairs = 0;
    let changed = 0;
    fc.assert(
      fc.property(steps, (moves) => {
        const { answers } = play(moves);
        for (const [index, first] of answers.entries()) {
          for (const second of answers.slice(index + 1)) {
            const apart = distance(first.members, second.members);
            expect(apart === 0 || apart >= FLOOR).toBe(true);
            pairs += 1;
            changed += apart > 0 ? 1 : 0;
          }
          expect(first.members.size).toBeGreaterThanOrEqual(FLOOR);
        }
      }),
      { numRuns: 300 },
    );
    expect(pairs).toBeGreaterThan(1000);
    expect(changed).toBeGreaterThan(100);
  });

  test("do not change within a month, whoever joins or leaves", () => {
    const world = play([]);
    const before = world.read(0);
    for (const org of ORGS.slice(0, 20)) world.contribute(org, false);
    for (const org of ORGS.slice(10, 20)) world.place(0, org, false);
    expect(world.read(0)).toBe(before);
    world.month = nextMonth(world.month);
    expect(world.read(0)).toBe(before);
  });

  test("follow a change of at least the floor from the next month on", () => {
    const world = play([]);
    world.read(0);
    for (const org of ORGS.slice(0, FLOOR)) world.contribute(org, false);
    world.month = nextMonth(world.month);
    expect(world.read(0)?.members).toEqual(new Set(ORGS.slice(FLOOR)));
  });

  test("stay as they were, old month and all, when a single org leaves", () => {
    const world = play([]);
    const before = world.read(0);
    world.place(0, "org_3", false);
    world.month = nextMonth(world.month);
    expect(world.read(0)).toBe(before);
  });

  test("are refused below the floor, and for a cohort that nearly repeats another", () => {
    const world = play([]);
    for (const org of ORGS.slice(0, FLOOR - 1)) world.place(1, org, true);
    expect(world.read(1)).toBeNull();
    expect(mayPublish(new Set(ORGS.slice(1)), [new Set(ORGS)], FLOOR)).toBe(false);
  });
});

test("a tenure that ends before it began leaves no trace", () => {
  expect(ended(begun([], "2026-02"), "2026-02")).toEqual([]);
  expect(begun(ended([{ from: "2026-01", until: null }], "2026-02"), "2026-02")).toEqual([
    { from: "2026-01", until: "2026-02" },
    { from: "2026-02", until: null },
  ]);
});
