/** `npm test`: everything that must hold before a change lands, cheapest first. CI runs this very command. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { ROOT } from "./worker-config.ts";

const scratch = mkdtempSync(join(tmpdir(), "sluice-check-"));
const report = join(scratch, "vitest.json");

const STEPS = [
  { name: "types", command: "tsc", args: ["-p", "."] },
  { name: "lint", command: "oxlint", args: ["--type-aware", "--quiet"] },
  { name: "format", command: "oxfmt", args: ["--check"] },
  { name: "dead code", command: "knip", args: ["--no-progress"] },
  {
    name: "tests",
    command: "vitest",
    args: ["run", "--reporter=dot", "--reporter=json", `--outputFile.json=${report}`],
  },
] as const;

const failed = STEPS.find((step) => !passes(step));
console.log(closing());
rmSync(scratch, { recursive: true, force: true });
process.exit(failed === undefined ? 0 : 1);

function passes({ name, command, args }: (typeof STEPS)[number]): boolean {
  const begun = performance.now();
  console.log(`     ${name} …`);
  const result = spawnSync(join(ROOT, "node_modules/.bin", command), args, {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  const ok = result.status === 0;
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  console.log(`${ok ? "ok  " : "FAIL"} ${name.padEnd(10)} ${seconds.padStart(6)} s`);
  if (!ok) console.log(`${result.stdout}${result.stderr}`);
  return ok;
}

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { name: string; message: string; assertionResults: Assertion[] }[];
}

interface Assertion {
  status: string;
  fullName: string;
  failureMessages: string[];
}

/**
 * What failed, once more and in short, and the counts: whoever sees the end alone knows. A step that failed before any
 * test ran counts as the one failure that it is.
 */
function closing(): string {
  if (failed !== undefined && failed.name !== "tests") return "0 passed, 1 failed";
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
  const failures = failed === undefined ? 0 : Math.max(1, numFailedTests);
  return [...testResults.flatMap(failuresOf), `${numPassedTests} passed, ${failures} failed`].join("\n");
}

function failuresOf({ name, message, assertionResults }: Report["testResults"][number]): string[] {
  const file = relative(ROOT, name);
  const ofTests = assertionResults
    .filter((test) => test.status === "failed")
    .map((test) => `failed: ${file}: ${test.fullName}\n${inShort(test.failureMessages.join("\n"))}`);
  return message === "" ? ofTests : [...ofTests, `failed: ${file}\n${inShort(message)}`];
}

function inShort(message: string): string {
  const lines = message.split("\n").filter((line) => line.trim() !== "");
  return lines
    .slice(0, 12)
    .map((line) => `  ${line.slice(0, 300)}`)
    .join("\n");
}
