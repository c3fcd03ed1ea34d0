import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { BenchRow } from "../../scripts/bench/bench-row.ts";
import { addedName, waitName } from "../../scripts/bench/latency-waits.ts";
import { performancePage } from "../../scripts/bench/performance.ts";
import { ROOT } from "../../scripts/worker-config.ts";

const row = (name: string, perSecond: number, cpuMicros: number | null = 500): BenchRow => ({
  name,
  perSecond,
  cpuMicros,
  ratio: null,
  of: null,
  target: null,
  note: "",
});
const ROWS = [
  row("run alone", 2000),
  row("run sent alone", 6, null),
  row("decision by the object and the run that settles it", 10.5, null),
  row("allow by the object", 3000, 1000),
];
const MACHINE = { day: "2026-01-01", processor: "a core" };

/** A page without its figures: a table keeps its paths and its columns. */
const formOf = (page: string) =>
  page
    .split("\n")
    .map((line) => (/^\| (?!path)/.test(line) ? line.split("|").slice(0, 2).join("|") : line))
    .map((line) => line.replace(/^Measured on .*/, "Measured."))
    .join("\n");

test("docs/performance.md has the form that the script gives it, with every path", () => {
  const page = readFileSync(join(ROOT, "docs/performance.md"), "utf8");
  expect(formOf(page)).toBe(formOf(performancePage([], MACHINE)));
  const figures = page.split("\n").filter((line) => /^\| (?!path)/.test(line));
  const isWait = (line: string) => /^\| [^|]+, \d+ callers? \|/.test(line);
  const costs = figures.filter((line) => !isWait(line) && !line.includes("not measured"));
  expect(costs.length).toBeGreaterThanOrEqual(16);
  for (const line of costs) {
    expect(line).toMatch(
      /^\| [^|]+ \| [\d.,]+ \| (\d+ %(, not stable)?)? \| [\d,]+ \| (\d+(\.\d+)?)? \| (\d+\.\d\d)? \|$/,
    );
  }
  const waits = figures.filter(isWait);
  expect(waits.length).toBe(9);
  for (const line of waits) expect(line).toMatch(/^\| [^|]+( \| (–|-?\d+\.\d\*?) \/ (–|-?\d+\.\d\*?)){4} \|/);
});

test("a call costs its requests, its processor time, its rows and its log line", () => {
  const page = performancePage(ROWS, MACHINE);
  // 0.30 for the request, 0.15 for the object's, 0.01 for 500 us, 6 for rows, 0.60 for the line.
  expect(page).toContain("| run sent alone | 500 |  | 2,000 | 6 | 7.06 |");
  expect(page).toContain("| decision by the object | 1,000 |  | 1,000 | 4.5 | 5.57 |");
  expect(page).toContain("| Portkey's gateway: a proxy without budgets, in Node | not measured |");
});

test("a row that was not stable says so, and one that failed is named", () => {
  const [alone] = ROWS;
  if (alone === undefined) throw new Error("no row");
  const page = (first: BenchRow) => performancePage([first, ...ROWS.slice(1)], MACHINE);
  expect(page({ ...alone, spread: 0.04 })).toContain("| run sent alone | 500 | 4 % | 2,000 | 6 |");
  expect(page({ ...alone, spread: 0.12 })).toContain(
    "| run sent alone | 500 | 12 %, not stable | 2,000 | 6 |",
  );
  const failed = { ...alone, perSecond: null, cpuMicros: null, failure: "answered 503" };
  expect(page(failed)).toContain("| run sent alone | failed |");
});

test("a page has what callers wait for, as far as it was measured", () => {
  const rows = (["p50", "p99"] as const).flatMap((share, at) => [
    row(waitName("plain proxy", 32, "first byte", share), 1 + at, null),
    row(waitName("copying proxy", 32, "first byte", share), 1.2 + at, null),
    row(waitName("governed proxy", 32, "first byte", share), 1.5 + at * 2, null),
    row(addedName(32, "first byte", share), 0.5 + at, null),
  ]);
  const page = performancePage(rows, MACHINE);
  expect(page).toContain(
    "| first byte, 32 callers | 1.0 / 2.0 | 1.2 / 2.2 | 1.5 / 3.5 | – / – | 0.5 / 1.5 |",
  );
});

test("a call through a proxy with the gate inside costs its requests, and the lines that Sluice logs of it", () => {
  const settled = row("decision in an isolate, settled by a bulk run", 0.22, null);
  const page = performancePage([row("embedded gate, whole", 1000, 1000), settled], MACHINE);
  // 0.30 for the proxy's request, 0.02 for 1 ms, 0.22 for rows; for each of 50 calls a second 0.07 reports and 0.02 settlements.
  expect(page).toContain("| the same with the gate inside, whole | 1,000 |  | 1,000 | 0.22 | 0.60 |");
  expect(page).toContain("is 0.09 lines of Sluice");
});
