import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest, longest first. One of them, begun last, would run alone for minutes. */
const LONGEST = [
  "test/system/browser/every-page.test.ts",
  "test/system/chaos.test.ts",
  "test/promises/system/checked.test.ts",
  "test/promises/system/local-faults.test.ts",
  "test/system/browser/docs.test.ts",
  "test/system/fuzz.test.ts",
  "test/system/start.test.ts",
  "test/promises/workerd/kills.test.ts",
  "test/promises/workerd/slow-body.test.ts",
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

/**
 * The tests of the promises first, and of the others the longest. Vitest begins with the largest files until it has a record
 * of earlier runs, which CI never has.
 */
export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const longest = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}`));
  const rank = longest === -1 ? LONGEST.length : longest;
  return moduleId.includes("/test/promises/") ? rank : LONGEST.length + 1 + rank;
}
