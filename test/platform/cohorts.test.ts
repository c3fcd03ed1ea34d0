import * as fc from "fast-check";
import { expect, test } from "vitest";
import { countsFrom, type Month, nextMonth } from "../../src/domain/cohort/month.ts";
import {
  loadContributors,
  latestAnswer,
  pushContribution,
  storeAnswer,
} from "../../src/platform/cohort-answers.ts";
import { createCohort, replaceMembers } from "../../src/platform/cohorts.ts";
import { env } from "../support/worker.ts";

const FLOOR = 5;
const FIRST_MONTH = "2026-01";
let worlds = 0;

type Move =
  | { kind: "place"; cohort: number; leaveOut: readonly number[] }
  | { kind: "contribute"; org: number; on: boolean }
  | { kind: "month" }
  | { kind: "read"; cohort: number };

const moves = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant("place" as const),
      cohort: fc.nat(1),
      leaveOut: fc.uniqueArray(fc.nat(13), { maxLength: 8 }),
    }),
    fc.record({ kind: fc.constant("contribute" as const), org: fc.nat(13), on: fc.boolean() }),
    fc.record({ kind: fc.constant("month" as const) }),
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("read" as const), cohort: fc.nat(1) }) },
  ),
  { minLength: 20, maxLength: 36 },
);

/** Cohorts of one metric, changed by an operator and orgs, on D1 itself. Each world has its own orgs and metric. */
class World {
  month: Month = FIRST_MONTH;
  readonly orgs: readonly string[];
  readonly #ids: readonly string[];
  readonly #metric: "runs_per_day";
  readonly #read = [false, false];

  private constructor(name: number) {
    this.orgs = Array.from({ length: 14 }, (_, index) => `org_${name}_${index}`);
    this.#ids = [`coh_${name}_0`, `coh_${name}_1`];
    this.#metric = `metric_${name}` as "runs_per_day";
  }

  static async open(): Promise<World> {
    const world = new World((worlds += 1));
    const { orgs, month } = world;
    for (const id of world.#ids) {
      const cohort = { id, name: id, metric: world.#metric, environment: "test", createdAt: 0 } as const;
      await createCohort(env.DB, cohort, orgs, month);
    }
    for (const org of orgs) await pushContribution(env.DB, org, true, month);
    return world;
  }

  async place(cohort: number, leaveOut: readonly number[]): Promise<void> {
    const id = this.#ids[cohort] ?? "";
    const placed = this.orgs.filter((_, index) => !leaveOut.includes(index));
    await replaceMembers(env.DB, { id, name: id }, placed, countsFrom(this.month));
  }

  async contribute(org: number, on: boolean): Promise<void> {
    await pushContribution(env.DB, this.orgs[org] ?? "", on, countsFrom(this.month));
  }

  /** The orgs that the answer was computed over, and its month. */
  async read(cohort: number): Promise<{ month: Month; members: Set<string> } | null> {
    const id = this.#ids[cohort] ?? "";
    const { month } = this;
    const members = await loadContributors(env.DB, id, month, this.#read[cohort] === false);
    this.#read[cohort] = true;
    const figures = { month, figuresMonth: month, size: members.length, p25: 1, p50: 2, p75: 3 };
    await storeAnswer(env.DB, {
      cohort: { id, metric: this.#metric },
      answer: figures,
      members,
      floor: FLOOR,
    });
    const answer = await latestAnswer(env.DB, id, month);
    return answer && { month: answer.month, members: await membersOf(id, answer.month, answer.size) };
  }
}

async function play(steps: readonly Move[]): Promise<Set<string>[]> {
  const world = await World.open();
  const answers: Set<string>[] = [];
  for (const step of steps) {
    if (step.kind === "month") world.month = nextMonth(world.month);
    if (step.kind === "contribute") await world.contribute(step.org, step.on);
    if (step.kind === "place") await world.place(step.cohort, step.leaveOut);
    if (step.kind === "read") {
      const answer = await world.read(step.cohort);
      if (answer !== null) answers.push(answer.members);
    }
  }
  return answers;
}

async function membersOf(cohortId: string, month: Month, size: number): Promise<Set<string>> {
  const { results } = await env.DB.prepare(
    "SELECT org_id FROM cohort_answer_members WHERE cohort_id = ? AND month = ?",
  )
    .bind(cohortId, month)
    .all<{ org_id: string }>();
  expect(results).toHaveLength(size);
  return new Set(results.map((row) => row.org_id));
}

/** How many orgs are in one set and not in the other. */
const distance = (a: Set<string>, b: Set<string>) =>
  [...a].filter((org) => !b.has(org)).length + [...b].filter((org) => !a.has(org)).length;

test("over a thousand pairs of readings no two differ by fewer members than the floor", async () => {
  let pairs = 0;
  let apart = 0;
  await fc.assert(
    fc.asyncProperty(moves, async (steps) => {
      const answers = await play(steps);
      for (const [index, first] of answers.entries()) {
        expect(first.size).toBeGreaterThanOrEqual(FLOOR);
        for (const second of answers.slice(index + 1)) {
          const differ = distance(first, second);
          expect(differ === 0 || differ >= FLOOR).toBe(true);
          pairs += 1;
          apart += differ > 0 ? 1 : 0;
        }
      }
    }),
    { numRuns: 16 },
  );
  expect(pairs).toBeGreaterThan(1000);
  expect(apart).toBeGreaterThan(20);
});

test("of two nearly identical cohorts only one is answered, even if both are read at once", async () => {
  const { DB } = env;
  const orgs = Array.from({ length: 8 }, (_, index) => `org_race_${index}`);
  const answer = { month: "2026-02", figuresMonth: "2026-01", p25: 1, p50: 2, p75: 3 };
  const store = (id: string, members: string[]) =>
    storeAnswer(DB, {
      cohort: { id, metric: "tokens_per_run" },
      answer: { ...answer, size: members.length },
      members,
      floor: FLOOR,
    });
  await Promise.all([store("coh_race_a", orgs), store("coh_race_b", orgs.slice(1))]);
  const given = await Promise.all(["coh_race_a", "coh_race_b"].map((id) => latestAnswer(DB, id, "2026-02")));
  expect(given.filter((one) => one !== null)).toHaveLength(1);
});

test("an answer does not change within its month, whoever joins or leaves", async () => {
  const world = await World.open();
  const before = await world.read(0);
  expect(before?.members).toEqual(new Set(world.orgs));
  for (const org of [0, 1, 2, 3, 4, 5]) await world.contribute(org, false);
  await world.place(0, [5, 6, 7, 8]);
  expect(await world.read(0)).toEqual(before);
});

test("a change of at least the floor is followed from the next month on", async () => {
  const world = await World.open();
  await world.read(0);
  for (let org = 0; org < FLOOR; org += 1) await world.contribute(org, false);
  world.month = nextMonth(world.month);
  expect(await world.read(0)).toEqual({ month: "2026-02", members: new Set(world.orgs.slice(FLOOR)) });
});

test("when a single org leaves, the answer stays unchanged, with its old month", async () => {
  const world = await World.open();
  const before = await world.read(0);
  await world.place(0, [3]);
  world.month = nextMonth(world.month);
  expect(await world.read(0)).toEqual(before);
});

test("a cohort below the floor, or one that nearly repeats another, has no answer", async () => {
  const world = await World.open();
  await world.place(1, [4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
  expect(await world.read(1)).toBeNull();
  const near = await World.open();
  await near.place(1, [0]);
  expect(await near.read(0)).not.toBeNull();
  expect(await near.read(1)).toBeNull();
});

test("an org that leaves and comes back within a month counts as never away", async () => {
  const world = await World.open();
  const before = await world.read(0);
  await world.contribute(2, false);
  await world.contribute(2, true);
  await world.place(0, [4]);
  await world.place(0, []);
  world.month = nextMonth(world.month);
  expect((await world.read(0))?.members).toEqual(before?.members);
  expect((await world.read(0))?.month).toBe("2026-02");
});
