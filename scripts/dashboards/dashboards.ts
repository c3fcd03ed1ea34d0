import {
  COUNTERS,
  type CounterName,
  type GaugeName,
  GAUGES,
  LIMIT_GAUGES,
  LIMITS_LEFT_OUT,
  WAIT_HISTOGRAM,
} from "../../src/contract/metrics.ts";

/** Grafana dashboards: a panel for each metric, in the order of the list. */

interface Query {
  readonly expression: string;
  readonly legend: string;
}

interface Panel {
  readonly title: string;
  readonly description: string;
  readonly unit: string;
  readonly queries: readonly Query[];
}

const SOURCE = { type: "prometheus", uid: "${datasource}" };
const WIDTH = 12;
const HEIGHT = 8;

const UNITS: Readonly<Partial<Record<string, string>>> = {
  svc_spend_nano_usd_total: "currencyUSD",
  svc_lease_nano_usd: "currencyUSD",
};

function counterPanel(name: CounterName): Panel {
  const { help, labels } = COUNTERS[name];
  const by = labels.length === 0 ? "" : ` by (${labels.join(", ")})`;
  const isMoney = name.includes("nano_usd");
  const expression = isMoney
    ? `sum(increase(${name}[1h])) / 1e9`
    : `topk(20, sum${by} (rate(${name}[$__rate_interval])))`;
  const legend = labels.map((label) => `{{${label}}}`).join(" ") || (isMoney ? "per hour" : "per second");
  return {
    title: titleOf(name),
    description: help,
    unit: UNITS[name] ?? "ops",
    queries: [{ expression, legend }],
  };
}

function gaugePanel(name: GaugeName): Panel {
  const { help, shown } = GAUGES[name];
  const isMoney = name.includes("nano_usd");
  const sum = shown === "sum" ? `sum(${name})` : `max(${name})`;
  const unit = UNITS[name] ?? (name.endsWith("_seconds") ? "s" : "short");
  return {
    title: titleOf(name),
    description: help,
    unit,
    queries: [{ expression: isMoney ? `${sum} / 1e9` : sum, legend: "all regions" }],
  };
}

function waitPanel(): Panel {
  const { name, help, label } = WAIT_HISTOGRAM;
  const queries = [0.5, 0.99].map((part) => ({
    expression: `histogram_quantile(${part}, sum by (le, ${label}) (rate(${name}_bucket[$__rate_interval])))`,
    legend: `{{${label}}} p${part * 100}`,
  }));
  return { title: titleOf(name), description: help, unit: "s", queries };
}

/** The share of decisions that isolates make by themselves. */
function edgePanel(): Panel {
  const queries = ["allow", "deny"].map((verdict) => ({
    expression: `${decisions(`place="edge",verdict="${verdict}"`)} / (${decisions(`verdict="${verdict}"`)} > 0)`,
    legend: verdict,
  }));
  return {
    title: "Decided in the isolate",
    description: "The share of decisions that isolates make without a call to the org's object.",
    unit: "percentunit",
    queries,
  };
}

function decisions(labels: string): string {
  return `sum(rate(svc_decisions_total{${labels}}[$__rate_interval]))`;
}

/** `svc_holds_open`: Holds open. */
function titleOf(name: string): string {
  const words = name
    .replace(/^svc_/, "")
    .replace(/_total$/, "")
    .replaceAll("_", " ")
    .replace("nano usd", "USD");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function orgPanels(): Panel[] {
  const used: Panel = {
    title: "Used",
    description: "The part of each limit that is spent or reserved.",
    unit: "percentunit",
    queries: [
      {
        expression: "(svc_limit_spent + svc_limit_reserved) / (svc_limit > 0)",
        legend: "{{kind}} {{scope_kind}} {{scope_id}} {{id}}",
      },
    ],
  };
  const each = Object.entries({ ...LIMIT_GAUGES, [LIMITS_LEFT_OUT.name]: LIMITS_LEFT_OUT.help }).map(
    ([name, help]): Panel => ({
      title: titleOf(name),
      description: help,
      unit: name.endsWith("_seconds") ? "s" : "short",
      queries: [{ expression: name, legend: "{{kind}} {{scope_kind}} {{scope_id}} {{id}}" }],
    }),
  );
  return [used, ...each];
}

function dashboard(title: string, uid: string, panels: readonly Panel[]): object {
  return {
    title,
    uid,
    tags: ["sluice"],
    editable: true,
    schemaVersion: 39,
    refresh: "1m",
    time: { from: "now-6h", to: "now" },
    templating: {
      list: [{ name: "datasource", type: "datasource", query: "prometheus", label: "Prometheus" }],
    },
    panels: panels.map(({ title: name, description, unit, queries }, index) => ({
      id: index + 1,
      type: "timeseries",
      title: name,
      description,
      datasource: SOURCE,
      gridPos: { x: (index % 2) * WIDTH, y: Math.floor(index / 2) * HEIGHT, w: WIDTH, h: HEIGHT },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      options: { legend: { displayMode: "table", placement: "bottom", calcs: ["lastNotNull", "max"] } },
      targets: queries.map(({ expression, legend }, nth) => ({
        refId: String.fromCharCode(65 + nth),
        datasource: SOURCE,
        expr: expression,
        legendFormat: legend,
      })),
    })),
  };
}

export function operatorDashboard(): object {
  return dashboard("Sluice: operator", "sluice-operator", [
    ...(Object.keys(COUNTERS) as CounterName[]).map(counterPanel),
    edgePanel(),
    waitPanel(),
    ...(Object.keys(GAUGES) as GaugeName[]).map(gaugePanel),
  ]);
}

export function orgDashboard(): object {
  return dashboard("Sluice: limits of an organization", "sluice-org", orgPanels());
}
