import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { OPERATOR_ALERTS, ORG_ALERTS } from "../../scripts/dashboards/alerts.ts";
import { dashboardFiles } from "../../scripts/dashboards/files.ts";
import { ROOT } from "../../scripts/worker-config.ts";
import {
  COUNTERS,
  GAUGES,
  LIMIT_GAUGES,
  LIMITS_LEFT_OUT,
  WAIT_HISTOGRAM,
} from "../../src/contract/metrics.ts";

const FOLDER = join(ROOT, "docs/dashboards");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const alerts = [...OPERATOR_ALERTS, ...ORG_ALERTS];

const OPERATOR = [...Object.keys(COUNTERS), ...Object.keys(GAUGES), WAIT_HISTOGRAM.name];
const ORG = [...Object.keys(LIMIT_GAUGES), LIMITS_LEFT_OUT.name];

/** The metrics that a text names. */
function named(text: string): Set<string> {
  const names = [...text.matchAll(/\bsvc_[a-z_]+/g)].map(([name]) =>
    name.replace(/_(bucket|sum|count)$/, ""),
  );
  return new Set(names);
}

/** Every query of a dashboard. */
function queries(path: string): string {
  const { panels } = JSON.parse(read(path)) as { panels: { targets: { expr: string }[] }[] };
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join("\n");
}

describe("docs/dashboards", () => {
  test.each([...dashboardFiles()])("%s is current: run `npm run generate`", (path, text) => {
    expect(existsSync(join(ROOT, path))).toBe(true);
    expect(read(path)).toBe(text);
  });

  test("shows every metric of the list, and no other", () => {
    expect(named(queries("docs/dashboards/operator.json"))).toEqual(new Set(OPERATOR));
    expect(named(queries("docs/dashboards/org.json"))).toEqual(new Set(ORG));
  });

  test("watches every metric of the list with an alert that uses what it says", () => {
    const watched = alerts.flatMap(({ metrics }) => metrics);
    expect(new Set(watched)).toEqual(new Set([...OPERATOR, ...Object.keys(LIMIT_GAUGES)]));
    for (const { expression, metrics } of alerts) expect(named(expression)).toEqual(new Set(metrics));
  });

  test("names a heading of the runbook in every alert", () => {
    const headings = [...read("docs/runbook.md").matchAll(/^## (.+)$/gm)].map(([, heading = ""]) =>
      heading.toLowerCase().replaceAll(" ", "-"),
    );
    for (const { runbook } of alerts) expect(headings).toContain(runbook);
  });
});

describe("promtool, if installed,", () => {
  const promtool = (...words: string[]) => spawnSync("promtool", words, { cwd: FOLDER, encoding: "utf8" });

  test("accepts the rules", ({ skip }) => {
    const { error, status, stdout, stderr } = promtool("check", "rules", "alerts.yaml");
    skip(error !== undefined, "promtool is not installed");
    expect(`${status} ${stderr}`).toBe("0 ");
    expect(stdout).toContain(`${alerts.length} rules found`);
  });

  const tests = [...dashboardFiles().keys()]
    .filter((path) => path.endsWith(".test.yaml"))
    .map((path) => basename(path));

  test("has a test of each alert", () => {
    const texts = tests.map((name) => read(join("docs/dashboards", name))).join("");
    const tested = [...texts.matchAll(/alertname: "(\w+)"/g)].map(([, name = ""]) => name);
    const timesTested = alerts.map(({ name }) => tested.filter((one) => one === name).length);
    expect(timesTested).toEqual(alerts.map(() => 2));
  });

  test("sees each alert silent when it should be, and firing when it should", ({ skip }) => {
    const { error, status, stdout, stderr } = promtool("test", "rules", ...tests);
    skip(error !== undefined, "promtool is not installed");
    expect(`${status} ${stdout} ${stderr}`).toMatch(/^0 (?:(?!FAILED)[^])*SUCCESS/);
    expect(stdout.split("SUCCESS")).toHaveLength(tests.length + 1);
  });
});
