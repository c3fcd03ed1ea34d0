import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../worker-config.ts";

const LAYERS = ["edge", "api", "org", "outbound", "platform", "web"];
/** What the guide to the promises names, of all layers. */
const PROMISES = "promises/workerd";
const OPERATIONS = "src/operations.ts";

/** The tests of pure functions. */
export const RULES_TESTS = [
  "test/promises/rules/*.test.ts",
  "test/{adapters,cli,client,contract,domain,gate,providers,proxy,scripts}/**/*.test.ts",
];

/** An import of more than types. */
const IMPORTED = /(?:^(?:import|export)\s(?!type\b)(?:[\w\s{},*$]+\sfrom\s)?|\bimport\()"(\.[^"?]+)"/gm;

/**
 * What differs from the published branch, or from the last commit if there is none: committed and uncommitted files.
 */
export function changedFiles(): string[] {
  const base = published();
  return [...git("diff", "--name-only", base), ...git("ls-files", "--others", "--exclude-standard")];
}

function git(...args: string[]): string[] {
  return execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
    .split("\n")
    .filter((line) => line !== "");
}

function published(): string {
  try {
    return git("merge-base", "HEAD", "@{upstream}")[0] ?? "HEAD";
  } catch {
    return "HEAD";
  }
}

export function workerdTests(): string[] {
  const folders = [...LAYERS, PROMISES].join(",");
  return globSync(`test/{${folders}}/**/*.test.ts`, { cwd: ROOT });
}

/** The tests that run over every operation: those that import the list of them. */
export function overEveryOperation(tests: readonly string[]): string[] {
  return tests.filter((test) => readFileSync(join(ROOT, test), "utf8").includes(`/${OPERATIONS}"`));
}

/**
 * The tests of changed files, by the name of the noun or of the file. The tests of a noun cover its operations and its part of the object. The tests
 * of a layer cover its files that have no tests of their own. The list of operations has the tests of every operation.
 */
export function testsOf(changed: readonly string[], tests: readonly string[]): string[] {
  const chosen = new Set<string>();
  for (const file of changed) for (const test of testsOfFile(file, tests)) chosen.add(test);
  return [...chosen].sort();
}

function testsOfFile(file: string, tests: readonly string[]): readonly string[] {
  if (tests.includes(file)) return [file];
  if (file === OPERATIONS) return overEveryOperation(tests);
  const [top, layer = "", ...path] = file.replace(/\.tsx?$/, "").split("/");
  if (top !== "src" || !LAYERS.includes(layer)) return [];
  const names = [path[0] ?? "", path.at(-1) ?? ""];
  const layers = layer === "api" || layer === "org" ? ["api", "org", PROMISES] : [layer, PROMISES];
  const own = tests.filter((test) =>
    layers.some((one) => names.some((name) => isNamed(test, `test/${one}/${name}`))),
  );
  return own.length > 0 ? own : tests.filter((test) => test.startsWith(`test/${layer}/`));
}

/**
 * `test/api/budgets.test.ts`, `test/org/budgets/…` and `test/api/budgets-of-others.test.ts` are all named `budgets`.
 */
function isNamed(test: string, prefix: string): boolean {
  return test.startsWith(prefix) && /^[./-]/.test(test.slice(prefix.length));
}

/** The pure tests that import one of these files, also through others. A test that only reads one is not found. */
export function rulesTestsOf(changed: readonly string[]): string[] {
  const tests = globSync(RULES_TESTS, { cwd: ROOT });
  const importers = new Map(tests.map((test) => [test, new Set<string>()]));
  // The loop reaches what is added meanwhile.
  for (const file of importers.keys()) {
    if (!/\.(tsx?|mjs)$/.test(file)) continue;
    for (const [, name = ""] of readFileSync(join(ROOT, file), "utf8").matchAll(IMPORTED)) {
      const path = join(dirname(file), name);
      if (!existsSync(join(ROOT, path))) continue;
      importers.set(path, (importers.get(path) ?? new Set()).add(file));
    }
  }
  const reached = new Set(changed);
  for (const file of reached) for (const by of importers.get(file) ?? []) reached.add(by);
  return tests.filter((test) => reached.has(test)).sort();
}
