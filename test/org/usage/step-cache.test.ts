import { expect, test } from "vitest";
import type { GroupRow } from "../../../src/domain/usage-report/sums.ts";
import type { SegmentMetadata } from "../../../src/storage/segments/metadata.ts";
import { rowsOfStep, type StepInput } from "../../../src/org/usage/step-cache.ts";

const RUNS = 30_000;

const entryAt = (firstSeq: number, runs = RUNS) =>
  ({ state: "runs", firstSeq, rows: runs }) as SegmentMetadata;

const INPUT: StepInput = {
  ask: { fromMs: 0, toMs: 1, groupBy: [{ kind: "name", name: "user_id" }], filters: {} },
  segments: [entryAt(1), entryAt(RUNS + 1)],
  fromRun: 1,
  toRun: 3 * RUNS,
  replaced: [],
};

/** Asks for steps of one object. Each answer is the number of the step that was made for it. */
function asking(rowsPerStep = 1): (change?: Partial<StepInput>) => number {
  const sql = {} as SqlStorage;
  let made = 0;
  return (change = {}) => {
    const rows = rowsOfStep(sql, { ...INPUT, ...change }, () => {
      made += 1;
      return Array.from({ length: rowsPerStep }, (): GroupRow => [["name"], String(made), []]);
    });
    return Number(rows[0]?.[1]);
  };
}

test("the same step is made once, also when runs came after it", () => {
  const ask = asking();
  expect([ask(), ask(), ask({ toRun: 9 * RUNS })]).toEqual([1, 1, 1]);
});

const CHANGES: readonly (readonly [string, Partial<StepInput>])[] = [
  ["another question", { ask: { ...INPUT.ask, toMs: 2 } }],
  ["a segment that changed", { segments: [entryAt(1), entryAt(RUNS + 1)] }],
  ["another segment at the end", { segments: [...INPUT.segments, entryAt(2 * RUNS + 1)] }],
  ["fewer segments", { segments: INPUT.segments.slice(0, 1) }],
  ["another first run", { fromRun: 2 }],
  ["an end within the last columns", { toRun: 2 * RUNS - 1 }],
  ["an estimate that was replaced", { replaced: [5] }],
];

test.each(CHANGES)("%s is a step of its own", (_, change) => {
  const ask = asking();
  expect([ask(), ask(change)]).toEqual([1, 2]);
});

test("a step that ended within its last segment is made again when more of it counts", () => {
  const ask = asking();
  expect([ask({ toRun: 2 * RUNS - 1 }), ask()]).toEqual([1, 2]);
});

test("objects share no steps", () => {
  const [one, other] = [asking(), asking()];
  expect([one(), one({ fromRun: 2 }), other({ fromRun: 2 })]).toEqual([1, 2, 1]);
});

test("quick steps and steps with very many rows are not kept", () => {
  const [quick, large] = [asking(), asking(25_001)];
  const few = { segments: [entryAt(1, 100)] };
  expect([quick(few), quick(few)]).toEqual([1, 2]);
  expect([large(), large()]).toEqual([1, 2]);
});

test("the oldest steps make room, by their rows and by their number", () => {
  const byRows = asking(10_000);
  expect([1, 2, 3].map((fromRun) => byRows({ fromRun }))).toEqual([1, 2, 3]);
  expect([3, 2, 1].map((fromRun) => byRows({ fromRun }))).toEqual([3, 2, 4]);
  const byNumber = asking();
  for (let fromRun = 1; fromRun <= 33; fromRun += 1) byNumber({ fromRun });
  expect([byNumber({ fromRun: 2 }), byNumber({ fromRun: 1 })]).toEqual([2, 34]);
});
