import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { USD } from "../../scripts/bench/performance-paths.ts";
import { ROOT } from "../../scripts/worker-config.ts";

/** What other pages say of figures is what docs/performance.md has. After a new `npm run bench -- --write`, this says what to change. */

const pageOf = (name: string) => readFileSync(join(ROOT, name), "utf8").replaceAll(/\s+/g, " ");

interface Figures {
  readonly cpuMicros: number;
  readonly rows: number;
  readonly dollars: number;
}

const measured = new Map<string, Figures>(
  readFileSync(join(ROOT, "docs/performance.md"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .map(([, path = "", cpu = "", , , rows, dollars]) => [
      path,
      { cpuMicros: Number(cpu.replaceAll(",", "")), rows: Number(rows), dollars: Number(dollars) },
    ]),
);

function of(path: string): Figures {
  const found = measured.get(path);
  if (found === undefined || Number.isNaN(found.cpuMicros)) throw new Error(`not measured: ${path}`);
  return found;
}

const DECISION = "decision in the isolate, 10 limits";
const RULES = "the same with rules, eight detectors on 2 kB and a plan";
const BY_OBJECT = "decision by the object";
const ALONE = "run sent alone";
const BULK = "run in a bulk of 1,000 for 50 customers";

const times = (path: string, than: string) => (of(path).cpuMicros / of(than).cpuMicros).toFixed(1);
const governed = (form: string) =>
  times(`the same, without what Sluice itself uses, ${form}`, `plain proxy, ungoverned, ${form}`);

test.for<[string, () => string]>([
  [
    "promises",
    () =>
      `A decision in an isolate takes ${times(DECISION, "empty Hono app in the same runtime")} times the CPU of an empty app`,
  ],
  ["promises", () => `plan takes ${times(RULES, DECISION)} times the CPU of one without`],
  [
    "promises",
    () =>
      `takes ${governed("whole")} times the CPU of an ungoverned one for a whole answer, and ${governed("stream")} times for a stream`,
  ],
  [
    "promises",
    () =>
      `A run alone writes ${of(ALONE).rows} rows with its part of checkpoints, a run in a bulk of 1,000 writes ${of(BULK).rows} `,
  ],
  ["operating", () => `| run, sent alone | ${of(ALONE).rows} (`],
  ["operating", () => `| run in a bulk of 1,000; of 100 | ${of(BULK).rows}; `],
  ["operating", () => `| decision asked of the object (quiet org) | ${of(BY_OBJECT).rows}: `],
  ["operating", () => `| decision in the isolate | ${of(DECISION).rows}, settled by a bulk run`],
  [
    "operating",
    () =>
      `a run in bulk takes ${of(BULK).cpuMicros} µs of CPU in isolate and object together if the bulk is for 50 customers`,
  ],
  ["operating", () => `a bulk of 1,000 runs takes about ${of(BULK).cpuMicros} ms`],
])("docs/%s.md has a figure of performance.md", ([name, text]) => {
  expect(pageOf(`docs/${name}.md`)).toContain(text());
});

test("what the pages say of the largest part of a call's cost follows from the figures", () => {
  const line = USD.logLine;
  for (const path of [DECISION, RULES]) {
    const { rows, dollars } = of(path);
    expect(rows * USD.rowWritten).toBeLessThan(line);
    // README: more than half of what a decision costs.
    expect(line / dollars).toBeGreaterThan(0.5);
  }
  for (const path of [BY_OBJECT, ALONE]) expect(of(path).rows * USD.rowWritten).toBeGreaterThan(line);
});

test("the table of shares has the cases that are tested, for each isolate", () => {
  const tested = readFileSync(join(ROOT, "test/promises/rules/lease-subjects.test.ts"), "utf8");
  const cases = [
    ...tested.matchAll(/\{ subjects: ([\d_]+), perSecond: (\d+), spread: "(\w+)", least: ([\d.]+) \}/g),
  ];
  expect(cases.length).toBe(4);
  const page = pageOf("docs/promises.md");
  for (const [, subjectsText = "", perSecond, spread, least] of cases) {
    const subjects = Number(subjectsText.replace("_", ""));
    const minute = Number(((Number(perSecond) * 60) / subjects).toFixed(1));
    const calls = spread === "zipf" ? `${minute} on average` : minute;
    const among = spread === "zipf" ? "by Zipf's law (s = 1)" : "all alike";
    const customers = `${subjects.toLocaleString("en")}${spread === "zipf" ? " " : ", "}${among}`;
    const share = `${Math.round(Number(least) * 100)} %`;
    expect(page).toContain(`| ${calls} | ${perSecond} | ${customers} | ${share} |`);
  }
});
