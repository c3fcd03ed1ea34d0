import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { closing, failedFiles } from "../../scripts/check/closing.ts";
import type { Ended } from "../../scripts/check/steps.ts";
import { ROOT } from "../../scripts/worker-config.ts";
import { temporaryFolder } from "../support/folder.ts";

const FILE = join(ROOT, "test/api/keys.test.ts");
const LOG = join(ROOT, "node_modules/.cache/check/system.log");

interface Tested {
  readonly passed?: number;
  readonly results?: object[];
}

function ended(ok: boolean, output: string, tested: Tested | null = {}): Ended {
  const report = join(temporaryFolder(), "report.json");
  const failed = tested?.results?.length ?? 0;
  const content = {
    numPassedTests: tested?.passed ?? 0,
    numFailedTests: failed,
    testResults: tested?.results ?? [],
  };
  if (tested !== null) writeFileSync(report, JSON.stringify(content));
  return { step: { name: "system", command: "vitest", args: [], report }, ok, output, log: LOG };
}

const result = (more: object, test: object = {}) => ({
  name: FILE,
  status: "failed",
  message: "",
  assertionResults: [{ status: "failed", fullName: "keys are secret", failureMessages: ["no"], ...test }],
  ...more,
});

const NOISE = [
  "····stack: /node_modules/workerd@51edfb3 /node_modules/workerd@51ee18f",
  "e = kj/async-io-unix.c++:1293: failed: DNS lookup failed.",
  "workerd/server/server.c++:6231: error: Uncaught exception: kj/compat/url.c++:165",
  "(node:77) MaxListenersExceededWarning: Possible EventEmitter memory leak detected.",
  "\u001B[32m·\u001B[39m\u001B[33m-\u001B[39m",
].join("\n");

describe("the end of the output", () => {
  it("is the counts alone if all is well, whatever the steps printed", () => {
    const steps = [ended(true, NOISE, { passed: 3 }), ended(true, NOISE, { passed: 4 })];
    expect(closing(steps)).toBe("7 passed, 0 failed");
  });

  it("names each test that failed, with its message and what was logged meanwhile, without the output", () => {
    const test = { failureMessages: ["AssertionError: 1 is not 2"], meta: { logged: ["500 at /v1/keys"] } };
    expect(closing([ended(false, NOISE, { passed: 3, results: [result({}, test)] })]).split("\n")).toEqual([
      "failed: test/api/keys.test.ts: keys are secret",
      "  AssertionError: 1 is not 2",
      "  logged:",
      "  500 at /v1/keys",
      "The whole output of system: node_modules/.cache/check/system.log",
      "3 passed, 1 failed",
    ]);
  });

  it("begins with the names if several tests failed", () => {
    const second = result({}, { fullName: "keys expire" });
    const steps = [
      ended(false, NOISE, { results: [result({})] }),
      ended(false, NOISE, { results: [second] }),
    ];
    expect(closing(steps).split("\n").slice(0, 3)).toEqual([
      "failed: test/api/keys.test.ts: keys are secret",
      "failed: test/api/keys.test.ts: keys expire",
      "failed: test/api/keys.test.ts: keys are secret",
    ]);
  });

  it("has what failed, and that it passed when it was run again by itself", () => {
    const steps = [ended(false, NOISE, { passed: 3, results: [result({})] })];
    const text = closing(steps, ended(true, NOISE, { passed: 1 }));
    expect(text).toContain("failed: test/api/keys.test.ts: keys are secret");
    expect(text.split("\n").at(-1)).toBe(
      "4 passed, 0 failed (1 of them only when run again by themselves: see above)",
    );
    expect(closing(steps, ended(false, NOISE, { results: [result({})] }))).toMatch(/3 passed, 1 failed$/);
  });

  it("shortens long messages", () => {
    const long = Array.from({ length: 500 }, (_, index) => `${index} ${"x".repeat(9000)}`).join("\n");
    const text = closing([ended(false, "", { results: [result({}, { failureMessages: [long] })] })]);
    expect(text.length).toBeLessThan(4500);
  });

  it("names a file that failed outside of its tests", () => {
    const broken = result({ message: "Cannot find module", assertionResults: [] });
    expect(closing([ended(false, "", { results: [broken] })])).toContain(
      "failed: test/api/keys.test.ts\n  Cannot find module",
    );
    const hook = result({ assertionResults: [{ status: "skipped", fullName: "x", failureMessages: [] }] });
    expect(closing([ended(false, "", { results: [hook] })])).toContain(
      "failed: test/api/keys.test.ts: in a hook",
    );
  });

  it.each<[string, Tested | null]>([
    ["of which no report was left", null],
    ["in which no test failed", { passed: 3 }],
  ])("is the output, without the runtime's noise, for a step %s", (_, tested) => {
    const text = closing([ended(false, `${NOISE}\nError: no room for a worker\n${NOISE}`, tested)]);
    expect(text.split("\n")).toEqual([
      "Error: no room for a worker",
      "The whole output of system: node_modules/.cache/check/system.log",
      `${tested?.passed ?? 0} passed, 1 failed`,
    ]);
  });

  it("has errors outside of tests beside the tests that failed", () => {
    const text = closing([ended(false, "⎯ Unhandled Errors ⎯\nError: late", { results: [result({})] })]);
    expect(text).toContain("Error: late");
    expect(text).toContain("failed: test/api/keys.test.ts: keys are secret");
  });

  it("is the whole output of a step without tests, such as types", () => {
    const step = { name: "types", command: "tsc", args: [] };
    const types: Ended = { step, ok: false, output: "src/a.ts(1,1): error TS1", log: LOG };
    expect(closing([types])).toBe("src/a.ts(1,1): error TS1\n0 passed, 1 failed");
  });
});

describe("the files to run again", () => {
  it("are those of which a test or the whole file failed", () => {
    const passed = result({
      name: join(ROOT, "test/api/runs.test.ts"),
      status: "passed",
      assertionResults: [],
    });
    const steps = [ended(true, "", { passed: 3 }), ended(false, "", { results: [result({}), passed] })];
    expect(failedFiles(steps)).toEqual(["test/api/keys.test.ts"]);
    expect(failedFiles([ended(true, "", { passed: 3 })])).toEqual([]);
  });

  it("are none if a step failed in another way", () => {
    const step = { name: "types", command: "tsc", args: [] };
    expect(failedFiles([{ step, ok: false, output: "error TS1", log: LOG }])).toBeNull();
    expect(failedFiles([ended(false, "no room for a worker", null)])).toBeNull();
    expect(failedFiles([ended(false, "Unhandled Errors", { results: [result({})] })])).toBeNull();
  });
});
