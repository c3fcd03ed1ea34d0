import * as fc from "fast-check";
import { expect, test } from "vitest";
import { countsFrom } from "../../src/domain/cohort/membership.ts";
import { type Month, nextMonth } from "../../src/domain/cohort/month.ts";
import { distance } from "../../src/domain/cohort/publication.ts";
import {
  contributors,
  latestAnswer,
  pushContribution,
  storeAnswer,
} from "../../src/platform/cohort-answers.ts";
import { createCohort, replaceMembers } from "../../src/platform/cohorts.ts";
import { env } from "../support/worker.ts";

const FLOOR = 5;
const FIRST_MONTH = "2026-01";
let games = 0;

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
  { minLength: 12, maxLength: 30 },
);

/** Plays moves on D1 itself; each game has cohorts, orgs and a metric of its own. */
async function play(steps: readonly Move[]): Promise<Set<string>[]> {
  const game = (games += 1);
  const { DB } = env;
  const orgs = Array.from({ length: 14 }, (_, index) => `org_${game}_${index}`);
  const metric = `metric_${game}` as "runs_per_day";
  const ids = [`coh_${game}_0`, `coh_${game}_1`];
  const read = [false, false];
  let month: Month = FIRST_MONTH;
  for (const id of ids) {
    await createCohort(DB, { id, name: id, metric, environment: "test", createdAt: 0 }, orgs, month);
  }
  for (const org of orgs) await pushContribution(DB, org, true, month);
  const answers: Set<string>[] = [];
  for (const step of steps) {
    if (step.kind === "month") month = nextMonth(month);
    if (step.kind === "contribute") {
      await pushContribution(DB, orgs[step.org] ?? "", step.on, countsFrom(month));
    }
    if (step.kind === "place") {
      const id = ids[step.cohort] ?? "";
      const placed = orgs.filter((_, index) => !step.leaveOut.includes(index));
      await replaceMembers(DB, { id, name: id }, placed, countsFrom(month));
    }
    if (step.kind === "read") {
      const id = ids[step.cohort] ?? "";
      const members = await contributors(DB, id, month, read[step.cohort] === false);
      read[step.cohort] = true;
      const figures = { month, figuresMonth: month, size: members.length, p25: 1, p50: 2, p75: 3 };
      await storeAnswer(DB, { id, metric }, figures, members, FLOOR);
      const answer = await latestAnswer(DB, id, month);
      if (answer !== null) answers.push(await membersOf(id, answer.month, answer.size));
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
    { numRuns: 40 },
  );
  expect(pairs).toBeGreaterThan(1000);
  expect(apart).toBeGreaterThan(20);
}, 120_000);

test("of two cohorts that nearly agree only one is answered, even when both are read at once", async () => {
  const { DB } = env;
  const orgs = Array.from({ length: 8 }, (_, index) => `org_race_${index}`);
  const answer = { month: "2026-02", figuresMonth: "2026-01", p25: 1, p50: 2, p75: 3 };
  const store = (id: string, members: string[]) =>
    storeAnswer(DB, { id, metric: "tokens_per_run" }, { ...answer, size: members.length }, members, FLOOR);
  await Promise.all([store("coh_race_a", orgs), store("coh_race_b", orgs.slice(1))]);
  const given = await Promise.all(["coh_race_a", "coh_race_b"].map((id) => latestAnswer(DB, id, "2026-02")));
  expect(given.filter((one) => one !== null)).toHaveLength(1);
});
