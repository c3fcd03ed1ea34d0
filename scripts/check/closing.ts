import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { ROOT } from "../worker-config.ts";

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
 * A summary of the failures and the counts, so that the end of the output is enough. A step that failed before any test
 * ran counts as one failure.
 */
export function closing(files: readonly string[], passed: boolean): string {
  const reports = files
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, "utf8")) as Report);
  const sum = (count: (report: Report) => number) => reports.reduce((total, one) => total + count(one), 0);
  const failures = passed
    ? 0
    : Math.max(
        1,
        sum(({ numFailedTests }) => numFailedTests),
      );
  const failed = reports.flatMap(({ testResults }) => testResults.flatMap(failuresOf));
  return [...failed, `${sum(({ numPassedTests }) => numPassedTests)} passed, ${failures} failed`].join("\n");
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
