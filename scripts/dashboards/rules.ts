import { type Alert, OPERATOR_ALERTS, ORG_ALERTS } from "./alerts.ts";

const GROUPS = { operator: OPERATOR_ALERTS, org: ORG_ALERTS } as const;
const RUNBOOK = "docs/runbook.md";

/** A text of YAML in double quotes, which is a text of JSON. */
const quoted = (text: string) => JSON.stringify(text);

/** What makes a file be left alone by hand. */
const NOTE = "# Written by `npm run generate` from scripts/dashboards. Do not edit.\n";

export function alertsText(): string {
  const groups = Object.entries(GROUPS).map(
    ([name, alerts]) => `  - name: "sluice-${name}"\n    rules:\n${alerts.map(ruleText).join("")}`,
  );
  return `${NOTE}groups:\n${groups.join("")}`;
}

function ruleText(alert: Alert): string {
  return [
    `      - alert: ${quoted(alert.name)}`,
    `        expr: ${quoted(alert.expression)}`,
    `        for: ${quoted(alert.waits)}`,
    `        labels:`,
    `          severity: ${quoted(alert.severity)}`,
    `        annotations:`,
    `          summary: ${quoted(alert.summary)}`,
    `          runbook: ${quoted(`${RUNBOOK}#${alert.runbook}`)}`,
    "",
  ].join("\n");
}

/** Rules that look back a day are tested in steps of ten minutes: each step evaluates every rule. */
const STEPS = { ofHours: "1m", ofDays: "10m" } as const;
const looksBackDays = ({ expression }: Alert) => expression.includes(" offset 1d");

/** One unit test of each rule: silent at first, and firing later. */
export function alertTestsText(which: keyof typeof STEPS): string {
  const alerts = Object.values(GROUPS)
    .flat()
    .filter((alert) => looksBackDays(alert) === (which === "ofDays"));
  const tests = alerts.map(testText).join("");
  return `${NOTE}rule_files:\n  - "alerts.yaml"\nevaluation_interval: "${STEPS[which]}"\ntests:\n${tests}`;
}

function testText({ name, severity, summary, runbook, example }: Alert): string {
  const series = Object.entries(example.series).map(
    ([text, values]) => `      - series: ${quoted(text)}\n        values: ${quoted(values)}\n`,
  );
  const labels = { severity, ...example.labels };
  return [
    `  - interval: "1m"`,
    `    input_series:`,
    series.join("").trimEnd(),
    `    alert_rule_test:`,
    `      - eval_time: ${quoted(example.silentAt)}`,
    `        alertname: ${quoted(name)}`,
    `        exp_alerts: []`,
    `      - eval_time: ${quoted(example.firesAt)}`,
    `        alertname: ${quoted(name)}`,
    `        exp_alerts:`,
    `          - exp_labels:`,
    ...Object.entries(labels).map(([label, value]) => `              ${label}: ${quoted(value)}`),
    `            exp_annotations:`,
    `              summary: ${quoted(summary)}`,
    `              runbook: ${quoted(`${RUNBOOK}#${runbook}`)}`,
    "",
  ].join("\n");
}
