/**
 * `npm test`: everything that must hold before a change lands. CI runs the same command. `npm test -- path` checks
 * types and runs the tests under that path. `npm run quick` is for work in progress: static checks, and the pure
 * and workerd tests of changed files.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { changedFiles, rulesTestsOf, testsOf, workerdTests } from "./check/changed.ts";
import { closing, failedFiles } from "./check/closing.ts";
import { CACHE, type Ended, type Step, sideBySide } from "./check/steps.ts";
import { ROOT } from "./worker-config.ts";

/**
 * What the compiler found out about each file is kept for the next run. Each of several checkers would work out again the
 * types that most files share.
 */
const TYPES: Step = {
  name: "types",
  command: "tsc",
  args: [
    "-p",
    ".",
    "--checkers",
    "1",
    "--incremental",
    "--tsBuildInfoFile",
    join(CACHE, "types.tsbuildinfo"),
  ],
};
const FORMAT: Step = { name: "format", command: "oxfmt", args: ["--check"] };
const DEAD_CODE: Step = {
  name: "dead code",
  command: "knip",
  args: ["--no-progress", "--cache", "--cache-location", join(CACHE, "knip")],
};

/** A defect fails again. More files than this are not the work of a busy machine. */
const MOST_FILES_AGAIN = 5;

const MOST_ENDING_MS = 2000;

const scratch = mkdtempSync(join(tmpdir(), "sluice-check-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const [mode, ...paths] = process.argv.slice(2);
process.exitCode = (await passes()) ? 0 : 1;

async function passes(): Promise<boolean> {
  const begun: Promise<Ended>[] = [];
  for (const round of roundsOf()) {
    const steps = sideBySide(round);
    begun.push(...steps);
    // Tests are not waited for, and those that failed do not keep others from being run: one run names all of them.
    const checks = await Promise.all(steps.filter((_, index) => round[index]?.report === undefined));
    if (checks.some(({ ok }) => !ok)) break;
  }
  const ended = await Promise.all(begun);
  const again = await runAgain(ended);
  console.log(closing(ended, again));
  return again?.ok ?? ended.every(({ ok }) => ok);
}

/**
 * Files of which a test failed beside all others, once more by themselves: property tests repeat their cases, and what
 * failed for want of time or by the order of two processes does not. Both results are printed.
 */
async function runAgain(ended: readonly Ended[]): Promise<Ended | null> {
  const files = mode === undefined ? failedFiles(ended) : null;
  if (files === null || files.length === 0 || files.length > MOST_FILES_AGAIN) return null;
  const [again] = sideBySide([tests("again", files)]);
  return (await again) ?? null;
}

/**
 * Each round starts when the static checks of the previous one have passed, beside its tests that still run. The steps of one
 * round run in parallel.
 */
function roundsOf(): Step[][] {
  if (mode === "quick") return quickRounds();
  const asked = mode === undefined ? [] : [mode, ...paths];
  if (asked.length > 0) return [[TYPES, tests("tests", asked)]];
  // Each of the last two waits for its servers and objects about as long as it computes.
  return [
    [TYPES, lint(), FORMAT, DEAD_CODE, tests("rules", ["--project", "rules"])],
    [tests("workerd", ["--project", "workerd"]), tests("system", ["--project", "system"])],
  ];
}

function quickRounds(): Step[][] {
  const changed = changedFiles();
  const related = rulesTestsOf(changed);
  const rules = related.length === 0 ? [] : [tests("rules", ["--project", "rules", ...related])];
  const named = testsOf(changed, workerdTests());
  const workerd = named.length === 0 ? [] : [tests("workerd", ["--project", "workerd", ...named])];
  const code = changed.filter((file) => /\.(tsx?|mjs)$/.test(file) && existsSync(join(ROOT, file)));
  const linted = code.length === 0 ? [] : [lint(code)];
  return [
    [TYPES, ...linted, FORMAT],
    [...rules, ...workerd],
  ].filter((round) => round.length > 0);
}

/** Of all files, unless some are named. */
function lint(files: readonly string[] = []): Step {
  // Each thread works out by itself the types that it needs, and the compiler runs beside it.
  const env = { GOMAXPROCS: String(Math.ceil(availableParallelism() / 2)) };
  return { name: "lint", command: "oxlint", args: ["--type-aware", "--quiet", ...files], env };
}

function tests(name: string, args: readonly string[]): Step {
  const report = join(scratch, `${name.replaceAll(/\W/g, "-")}.json`);
  const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${report}`];
  // A runtime that never stops holds up the end of the run for as long, when every result is written.
  const ending = ["--reporter=./test/support/end-workers.ts", `--teardownTimeout=${MOST_ENDING_MS}`];
  const mayHang = name === "rules" || name === "system" ? [] : ending;
  return { name, command: "vitest", args: ["run", ...args, ...reporters, ...mayHang], report };
}
