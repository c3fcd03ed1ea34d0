import { describe, expect, it } from "vitest";
import { overEveryOperation, rulesTestsOf, testsOf, workerdTests } from "../../scripts/check/changed.ts";

const TESTS = [
  "test/api/budgets.test.ts",
  "test/api/keys.test.ts",
  "test/edge/backoff.test.ts",
  "test/edge/signals.test.ts",
  "test/org/budgets/increase.test.ts",
  "test/org/upgrade.test.ts",
  "test/web/console/forms.test.ts",
];

describe("the tests of changed files", () => {
  it.each([
    ["an operation has the tests of its noun, in both layers", "src/api/budgets/create.ts", [0, 4]],
    ["so has the object's part of a noun", "src/org/budgets/commands.ts", [0, 4]],
    ["a file with tests of its name has those", "src/edge/object/backoff.ts", [2]],
    ["a file without any has those of its layer", "src/edge/request/pipeline.ts", [2, 3]],
    ["a page has those of the console", "src/web/console/view/form.tsx", [6]],
    ["a test has itself", "test/api/keys.test.ts", [1]],
    ["a rule has none here: all rules are run anyway", "src/domain/price/money.ts", []],
    ["a page of the docs has none", "docs/limits.md", []],
  ])("%s", (_, changed, expected) => {
    expect(testsOf([changed], TESTS)).toEqual(expected.map((index) => TESTS[index]));
  });

  it("of the list of operations are those that run over it", () => {
    expect(testsOf(["src/operations.ts"], workerdTests())).toEqual(overEveryOperation(workerdTests()).sort());
    expect(overEveryOperation(workerdTests())).toContain("test/edge/every-operation.test.ts");
    expect(overEveryOperation(["test/api/keys.test.ts"])).toEqual([]);
  });

  it("names each test once", () => {
    const changed = ["src/api/budgets/create.ts", "src/api/budgets/list.ts", "test/api/budgets.test.ts"];
    expect(testsOf(changed, TESTS)).toEqual([
      "test/api/budgets.test.ts",
      "test/org/budgets/increase.test.ts",
    ]);
  });
});

describe("the pure tests of changed files", () => {
  const own = "test/scripts/changed-tests.test.ts";

  it.each([
    ["a file has those that import it", "scripts/check/changed.ts", true],
    ["and those that import it through others", "scripts/worker-config.ts", true],
    ["a test has itself", own, true],
    ["a file that none imports has none", "src/index.ts", false],
  ])("%s", (_, changed, expected) => {
    expect(rulesTestsOf([changed]).includes(own)).toBe(expected);
  });
});
