import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest, longest first. One of them, begun last, would run alone for minutes. */
const LONGEST = [
  "test/system/browser/every-page.test.ts",
  "test/system/chaos.test.ts",
  "test/system/checked.test.ts",
  "test/system/local-faults.test.ts",
  "test/system/browser/docs.test.ts",
  "test/system/start.test.ts",
  "test/org/kills.test.ts",
  "test/api/slow-body.test.ts",
  "test/api/overview.test.ts",
  "test/edge/every-operation.test.ts",
  "test/api/costly-checks.test.ts",
  "test/api/large-metadata.test.ts",
  "test/api/different-runs.test.ts",
  "test/api/price-book.test.ts",
  "test/edge/text.test.ts",
  "test/org/ledger/between.test.ts",
  "test/org/usage/steps.test.ts",
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
