import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { VIOLATION_KINDS } from "../../scripts/chaos/history.ts";
import { ROOT } from "../../scripts/worker-config.ts";

const [promises = ""] = readFileSync(join(ROOT, "docs/promises.md"), "utf8").split(
  "## Decisions at the edge",
);
const rows = promises
  .split("\n")
  .filter((line) => /^\| (?!promise|-)/.test(line))
  .map((line) =>
    line
      .slice(1, -1)
      .split(" | ")
      .map((cell) => cell.trim()),
  );
const BENCH = /^`npm run bench (\w+)`$/;
const TEST = /^`(test\/[\w/-]+\.test\.ts)`: "(.+)"$/;
const bench = readFileSync(join(ROOT, "scripts/bench.ts"), "utf8");

/** Null: the test or figure is there. */
function problemWith(shown: string): string | null {
  const [, part] = BENCH.exec(shown) ?? [];
  if (part !== undefined)
    return new RegExp(`^  ${part}[,:]`, "m").test(bench) ? null : `no part ${part} in bench`;
  const [, file, name] = TEST.exec(shown) ?? [];
  if (file === undefined || name === undefined) return `neither a test nor a figure: ${shown}`;
  const path = join(ROOT, file);
  if (!existsSync(path)) return `no file ${file}`;
  // A name may begin with a number that the test works out.
  const literal = [`"${name}"`, ` ${name}\``].some((text) => readFileSync(path, "utf8").includes(text));
  return literal ? null : `no test ${JSON.stringify(name)} in ${file}`;
}

describe("the page of promises", () => {
  test("has at least 30, each once", () => {
    expect(rows.length).toBeGreaterThanOrEqual(30);
    expect(new Set(rows.map(([promise]) => promise)).size).toBe(rows.length);
  });

  test("names a test or a figure that exists for each", () => {
    expect(rows.flatMap(([, shown = ""]) => problemWith(shown) ?? [])).toEqual([]);
  });

  test("a test that was renamed or removed is noticed", () => {
    expect(problemWith('`test/promises/system/gate.test.ts`: "no such test"')).toContain("no test");
    expect(problemWith('`test/system/no-such.test.ts`: "x"')).toContain("no file");
    expect(problemWith("`npm run bench nothing`")).toContain("no part");
    expect(problemWith("my word")).toContain("neither");
  });

  test("says of each kind of violation which promise it breaks, and names no other", () => {
    const named = new Set(rows.flatMap(([, , kinds = ""]) => (kinds === "" ? [] : kinds.split(", "))));
    expect([...named].sort()).toEqual([...VIOLATION_KINDS].sort());
  });
});
