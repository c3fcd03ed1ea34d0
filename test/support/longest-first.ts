import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest, longest first. One of them, begun last, would run alone for minutes. */
const LONGEST = [
  "test/system/browser/every-page.test.ts",
  "test/system/local-faults.test.ts",
  "test/system/browser/docs.test.ts",
  "test/system/start.test.ts",
  "test/system/checked.test.ts",
  "test/org/ledger/between.test.ts",
  "test/org/ledger/matched.test.ts",
  "test/org/ledger/ledger.test.ts",
  "test/org/runs/ids.test.ts",
  "test/org/ledger/archived.test.ts",
  "test/org/runs/segments.test.ts",
  "test/org/ledger/over-limit.test.ts",
  "test/org/journal.test.ts",
  "test/api/slow-body.test.ts",
  "test/edge/text.test.ts",
];

/** Vitest begins with the largest files until it has a record of earlier runs, which CI never has. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}`));
  return rank === -1 ? LONGEST.length : rank;
}
