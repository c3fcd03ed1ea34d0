import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { ROOT } from "../worker-config.ts";
import type { Ended } from "./steps.ts";

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { name: string; status: string; message: string; assertionResults: Assertion[] }[];
}

interface Assertion {
  status: string;
  fullName: string;
  failureMessages: string[];
  /** What the service logged during a test that failed. */
  meta?: { logged?: string[] };
}

const MOST_LINES = 12;
const MOST_OUTPUT_LINES = 60;
/** What the output says of an error outside of tests. */
const OUTSIDE = "Unhandled Error";

/**
 * The names of the failed tests if there are several, then each failure in short, then the counts. Whoever sees only
 * the beginning or only the end of it knows what failed. A step that failed without a failed test, such as one that
 * could not start, shows the end of its own output.
 */
export function closing(steps: readonly Ended[], again: Ended | null = null): string {
  const reports = steps.map(({ step }) => reportOf(step.report));
  const sum = (count: (report: Report) => number) =>
    reports.reduce((total, report) => total + (report === null ? 0 : count(report)), 0);
  const names = reports.flatMap((report) => report?.testResults.flatMap(namesIn) ?? []);
  const failures = steps.flatMap((ended, index) => failuresOf(ended, reports[index] ?? null));
  const passed = sum(({ numPassedTests }) => numPassedTests);
  const failed = sum(({ numFailedTests }) => numFailedTests);
  if (again?.ok === true) {
    const stood = `${passed + failed} passed, 0 failed`;
    return [...failures, `${stood} (${failed} of them only when run again by themselves: see above)`].join(
      "\n",
    );
  }
  const counted = Math.max(failed, steps.some(({ ok }) => !ok) ? 1 : 0);
  return [...(names.length > 1 ? names : []), ...failures, `${passed} passed, ${counted} failed`].join("\n");
}

/** Files that failed in steps that name all their failures. Null if a step failed in another way. */
export function failedFiles(steps: readonly Ended[]): string[] | null {
  const files: string[] = [];
  for (const { step, ok, output } of steps) {
    if (ok) continue;
    const failed = reportOf(step.report)?.testResults.filter((file) => namesIn(file).length > 0) ?? [];
    if (failed.length === 0 || output.includes(OUTSIDE)) return null;
    files.push(...failed.map(({ name }) => relative(ROOT, name)));
  }
  return files;
}

function reportOf(file: string | undefined): Report | null {
  return file === undefined || !existsSync(file) ? null : (JSON.parse(readFileSync(file, "utf8")) as Report);
}

function failuresOf({ step, ok, output, log }: Ended, report: Report | null): string[] {
  if (ok) return [];
  if (step.report === undefined) return [output];
  const named = report?.testResults.flatMap(failuresIn) ?? [];
  // An error outside of a test or in a hook is in the output alone.
  const isExplained = named.length > 0 && !output.includes(OUTSIDE);
  const ending = isExplained ? [] : lines(withoutNoise(output)).slice(-MOST_OUTPUT_LINES);
  return [...named, ...ending, `The whole output of ${step.name}: ${relative(ROOT, log)}`];
}

function namesIn({ name, status, message, assertionResults }: Report["testResults"][number]): string[] {
  const failed = assertionResults.filter((test) => test.status === "failed");
  if (status !== "failed" && failed.length === 0 && message === "") return [];
  const file = relative(ROOT, name);
  return failed.length === 0
    ? [`failed: ${file}`]
    : failed.map(({ fullName }) => `failed: ${file}: ${fullName}`);
}

function failuresIn({ name, status, message, assertionResults }: Report["testResults"][number]): string[] {
  const file = relative(ROOT, name);
  const failed = assertionResults.filter((test) => test.status === "failed");
  const ofTests = failed.map(
    ({ fullName, failureMessages, meta }) =>
      `failed: ${file}: ${fullName}\n${inShort(failureMessages.join("\n"))}${logged(meta?.logged)}`,
  );
  if (message !== "") return [...ofTests, `failed: ${file}\n${inShort(message)}`];
  if (status === "failed" && failed.length === 0) return [`failed: ${file}: in a hook`];
  return ofTests;
}

function logged(said: readonly string[] = []): string {
  return said.length === 0 ? "" : `\n  logged:\n${inShort(said.slice(-MOST_LINES).join("\n"))}`;
}

function inShort(message: string): string {
  return lines(message)
    .slice(0, MOST_LINES)
    .map((line) => `  ${line.slice(0, 300)}`)
    .join("\n");
}

function lines(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}

/** What the runtime says about connections that tests break on purpose, and the dots of tests that passed. */
const NOISE =
  /^[·\-x\s]*(?:stack: |e = kj\/|(?:uncaught )?exception(?: = |; )|console warning; |workerd\/|NOSENTRY |Sourcemap for |\(node:\d+\) |\(Use `node )|^[·\-x\s]*$/;
// oxlint-disable-next-line no-control-regex -- colors are control characters
const COLORS = /\x1B\[[\d;]*m/g;

function withoutNoise(output: string): string {
  return output
    .replaceAll(COLORS, "")
    .split("\n")
    .filter((line) => !NOISE.test(line))
    .join("\n");
}
