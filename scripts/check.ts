/** `npm test`: everything that must hold before a change lands, cheapest first. CI runs this very command. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
console.log(closingLine());
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

/** A step that failed before any test ran counts as the one failure that it is. */
function closingLine(): string {
  if (failed !== undefined && failed.name !== "tests") return "0 passed, 1 failed";
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, "utf8")) as {
    numPassedTests: number;
    numFailedTests: number;
  };
  const failures = failed === undefined ? 0 : Math.max(1, numFailedTests);
  return `${numPassedTests} passed, ${failures} failed`;
}
