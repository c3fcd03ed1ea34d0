import type { CounterName, GaugeName, LIMIT_GAUGES, WAIT_HISTOGRAM } from "../../src/contract/metrics.ts";

export type MetricName = CounterName | GaugeName | typeof WAIT_HISTOGRAM.name | keyof typeof LIMIT_GAUGES;

/** A series as promtool writes it, and the times at which the alert must be silent, and must fire. */
interface Example {
  readonly series: Readonly<Record<string, string>>;
  readonly silentAt: string;
  readonly firesAt: string;
  /** Labels of the alert that come from its series. */
  readonly labels?: Readonly<Record<string, string>>;
}

export interface Alert {
  readonly name: string;
  /** The metrics that the expression uses. */
  readonly metrics: readonly MetricName[];
  readonly expression: string;
  readonly waits: string;
  readonly severity: "page" | "ticket" | "info";
  readonly summary: string;
  /** A heading of the runbook. */
  readonly runbook: string;
  readonly example: Example;
}

const share = (part: string, of: string) => `sum(rate(${part}[5m])) / sum(rate(${of}[5m]))`;

/** For whoever runs the service. */
export const OPERATOR_ALERTS: readonly Alert[] = [
  {
    name: "SluiceFails",
    metrics: ["svc_requests_total"],
    expression: `${share('svc_requests_total{status=~"5.."}', "svc_requests_total")} > 0.01`,
    waits: "5m",
    severity: "page",
    summary: "More than 1% of requests fail.",
    runbook: "a-region-is-down",
    example: {
      series: {
        'svc_requests_total{status="200"}': "0+600x40",
        'svc_requests_total{status="503"}': "0x10 0+60x30",
      },
      silentAt: "9m",
      firesAt: "30m",
    },
  },
  {
    name: "SluiceSlow",
    metrics: ["svc_request_wait_seconds"],
    expression:
      'histogram_quantile(0.99, sum by (le) (rate(svc_request_wait_seconds_bucket{place="object"}[5m]))) > 1',
    waits: "10m",
    severity: "page",
    summary: "One in a hundred decisions waits longer than a second for its object.",
    runbook: "an-object-is-slow",
    example: {
      series: {
        'svc_request_wait_seconds_bucket{place="object",le="1"}': "0+60x10 600+0x40",
        'svc_request_wait_seconds_bucket{place="object",le="5"}': "0+60x10 600+60x40",
        'svc_request_wait_seconds_bucket{place="object",le="+Inf"}': "0+60x10 600+60x40",
      },
      silentAt: "10m",
      firesAt: "45m",
    },
  },
  {
    name: "SluiceWorkOverdue",
    metrics: ["svc_due_oldest_seconds"],
    expression: "max(svc_due_oldest_seconds) > 300",
    waits: "5m",
    severity: "page",
    summary: "Scheduled work of an object is more than 5 minutes late.",
    runbook: "an-object-is-slow",
    example: { series: { svc_due_oldest_seconds: "0x10 400x20" }, silentAt: "12m", firesAt: "20m" },
  },
  {
    name: "SluiceExportsLate",
    metrics: ["svc_export_lag_seconds"],
    expression: "max(svc_export_lag_seconds) > 7200",
    waits: "15m",
    severity: "ticket",
    summary: "A closed export window waits for more than 2 hours.",
    runbook: "an-object-is-slow",
    example: { series: { svc_export_lag_seconds: "0x10 8000x30" }, silentAt: "20m", firesAt: "35m" },
  },
  {
    name: "SluiceSpendDoubled",
    metrics: ["svc_spend_nano_usd_total"],
    expression:
      "sum(increase(svc_spend_nano_usd_total[1h])) > 2 * sum(increase(svc_spend_nano_usd_total[1h] offset 1d)) and sum(increase(svc_spend_nano_usd_total[1h])) > 10e9",
    waits: "15m",
    severity: "ticket",
    summary: "The last hour cost more than twice the same hour of yesterday, and more than $10.",
    runbook: "the-bill-doubled",
    example: {
      series: { svc_spend_nano_usd_total: "0+1e9x1500 1500e9+5e9x160" },
      silentAt: "1500m",
      firesAt: "1660m",
    },
  },
  {
    name: "SluiceRunsRefused",
    metrics: ["svc_runs_total"],
    expression: `${share('svc_runs_total{status="rejected"}', "svc_runs_total")} > 0.5`,
    waits: "15m",
    severity: "ticket",
    summary: "More than half of all reported runs are refused.",
    runbook: "a-customer-was-refused",
    example: {
      series: {
        'svc_runs_total{outcome="completed",status="accepted"}': "0+60x20 1200+6x40",
        'svc_runs_total{outcome="completed",status="rejected"}': "0+1x20 20+60x40",
      },
      silentAt: "20m",
      firesAt: "55m",
    },
  },
  {
    name: "SluiceDecisionsRefused",
    metrics: ["svc_decisions_total"],
    expression: `${share('svc_decisions_total{verdict="deny"}', "svc_decisions_total")} > 0.5`,
    waits: "15m",
    severity: "ticket",
    summary: "More than half of all decisions are refusals.",
    runbook: "a-customer-was-refused",
    example: {
      series: {
        'svc_decisions_total{verdict="allow",code="none",place="edge"}': "0+60x20 1200+6x40",
        'svc_decisions_total{verdict="deny",code="budget_exceeded",place="edge"}': "0+1x20 20+60x40",
      },
      silentAt: "20m",
      firesAt: "55m",
    },
  },
  {
    name: "SluiceUngoverned",
    metrics: ["svc_ungoverned_calls_total"],
    expression: "sum(increase(svc_ungoverned_calls_total[15m])) > 0",
    waits: "0m",
    severity: "ticket",
    summary: "Calls to models were made that no limit was asked about.",
    runbook: "the-bill-doubled",
    example: { series: { svc_ungoverned_calls_total: "0x20 0+1x40" }, silentAt: "20m", firesAt: "40m" },
  },
  {
    name: "SluiceUnsettled",
    metrics: ["svc_unsettled_calls_total"],
    expression: "sum(increase(svc_unsettled_calls_total[15m])) > 0",
    waits: "0m",
    severity: "ticket",
    summary: "Calls to models were made whose runs are not recorded.",
    runbook: "the-bill-doubled",
    example: {
      series: { 'svc_unsettled_calls_total{reason="rejected"}': "0x20 0+1x40" },
      silentAt: "20m",
      firesAt: "40m",
    },
  },
  {
    name: "SluiceUnpriced",
    metrics: ["svc_unpriced_total"],
    expression: "sum(increase(svc_unpriced_total[15m])) > 0",
    waits: "15m",
    severity: "ticket",
    summary: "Calls are refused because a model has no price.",
    runbook: "a-customer-was-refused",
    example: { series: { svc_unpriced_total: "0x20 0+1x60" }, silentAt: "20m", firesAt: "50m" },
  },
  {
    name: "SluiceTokensDoubled",
    metrics: ["svc_tokens_total"],
    expression:
      "sum(increase(svc_tokens_total[1h])) > 2 * sum(increase(svc_tokens_total[1h] offset 1d)) and sum(increase(svc_tokens_total[1h])) > 1e6",
    waits: "15m",
    severity: "info",
    summary: "The last hour used more than twice the tokens of the same hour of yesterday.",
    runbook: "the-bill-doubled",
    example: {
      series: { 'svc_tokens_total{class="input"}': "0+1e5x1500 1500e5+5e5x160" },
      silentAt: "1500m",
      firesAt: "1660m",
    },
  },
  {
    name: "SluiceHoldsExpire",
    metrics: ["svc_holds_expired_total", "svc_decisions_total"],
    expression: `${share("svc_holds_expired_total", 'svc_decisions_total{verdict="allow"}')} > 0.2`,
    waits: "30m",
    severity: "ticket",
    summary: "More than a fifth of the reservations expire: runs are not reported.",
    runbook: "the-bill-doubled",
    example: {
      series: {
        'svc_decisions_total{verdict="allow",code="none",place="edge"}': "0+60x90",
        svc_holds_expired_total: "0+1x20 20+30x70",
      },
      silentAt: "20m",
      firesAt: "80m",
    },
  },
  {
    name: "SluiceLeasesStay",
    metrics: ["svc_lease_nano_usd", "svc_decisions_total"],
    expression: "sum(svc_lease_nano_usd) > 0 and sum(rate(svc_decisions_total[15m])) == 0",
    waits: "30m",
    severity: "info",
    summary: "Amounts stay leased although nothing is decided: isolates were lost, or objects do not wake.",
    runbook: "an-object-is-slow",
    example: {
      series: {
        svc_lease_nano_usd: "5e9x120",
        'svc_decisions_total{verdict="allow",code="none",place="edge"}': "0+60x20 1200x100",
      },
      silentAt: "20m",
      firesAt: "90m",
    },
  },
  {
    name: "SluiceHoldsPileUp",
    metrics: ["svc_holds_open"],
    expression: "sum(svc_holds_open) > 10000 and sum(svc_holds_open) > 3 * sum(svc_holds_open offset 1h)",
    waits: "10m",
    severity: "info",
    summary: "Three times as many reservations are open as an hour ago: callers reserve and do not report.",
    runbook: "the-bill-doubled",
    example: { series: { svc_holds_open: "5000x70 20000x60" }, silentAt: "70m", firesAt: "100m" },
  },
  {
    name: "SluiceCallsTripled",
    metrics: ["svc_requests_total"],
    expression:
      "sum(rate(svc_requests_total[5m])) > 3 * sum(rate(svc_requests_total[5m] offset 1h)) and sum(rate(svc_requests_total[5m])) > 100",
    waits: "10m",
    severity: "info",
    summary: "Three times as many calls come as an hour ago, and more than 100 a second.",
    runbook: "an-org-is-hammered",
    example: {
      series: { 'svc_requests_total{status="200"}': "0+600x90 54000+60000x60" },
      silentAt: "90m",
      firesAt: "120m",
    },
  },
  {
    name: "SluiceArchiveFails",
    metrics: ["svc_archive_failures_total"],
    expression: "sum by (reason) (increase(svc_archive_failures_total[15m])) > 0",
    waits: "0m",
    severity: "page",
    summary: "A file of the archive cannot be read or written.",
    runbook: "a-file-of-the-archive-is-missing",
    example: {
      series: { 'svc_archive_failures_total{reason="missing"}': "0x20 0+1x40" },
      silentAt: "20m",
      firesAt: "40m",
      labels: { reason: "missing" },
    },
  },
  {
    name: "SluiceWebhooksFail",
    metrics: ["svc_webhook_failing"],
    expression: "sum(svc_webhook_failing) > 0",
    waits: "15m",
    severity: "ticket",
    summary: "A webhook's receiver has failed for 15 minutes. Its events wait.",
    runbook: "a-webhook-fails",
    example: { series: { svc_webhook_failing: "0x10 1x40" }, silentAt: "20m", firesAt: "30m" },
  },
  {
    name: "SluiceWebhooksGivenUp",
    metrics: ["svc_webhook_deliveries_total"],
    expression:
      'sum by (outcome) (increase(svc_webhook_deliveries_total{outcome=~"gone|exhausted"}[1h])) > 0',
    waits: "0m",
    severity: "info",
    summary: "A webhook was disabled after its receiver failed.",
    runbook: "a-webhook-was-disabled",
    example: {
      series: { 'svc_webhook_deliveries_total{outcome="exhausted"}': "0x10 1x20" },
      silentAt: "10m",
      firesAt: "20m",
      labels: { outcome: "exhausted" },
    },
  },
  {
    name: "SluiceDeprecatedCalls",
    metrics: ["svc_deprecated_route_calls_total"],
    expression: "sum by (route) (increase(svc_deprecated_route_calls_total[1d])) > 0",
    waits: "0m",
    severity: "info",
    summary: "A deprecated route is still called.",
    runbook: "a-deprecated-route-is-called",
    example: {
      series: { 'svc_deprecated_route_calls_total{route="/v1/forecast"}': "0x10 1x20" },
      silentAt: "10m",
      firesAt: "20m",
      labels: { route: "/v1/forecast" },
    },
  },
];

const LIMIT = { kind: "budget", id: "bud_1", unit: "usd" } as const;
const LIMIT_TEXT = '{kind="budget",id="bud_1",unit="usd"}';

/** For an org that scrapes its own limits. */
export const ORG_ALERTS: readonly Alert[] = [
  {
    name: "SluiceLimitNearlySpent",
    metrics: ["svc_limit_spent", "svc_limit_reserved", "svc_limit"],
    expression: "(svc_limit_spent + svc_limit_reserved) / (svc_limit > 0) > 0.9",
    waits: "5m",
    severity: "ticket",
    summary: "More than 90% of a limit is spent or reserved.",
    runbook: "a-customer-was-refused",
    example: {
      series: {
        [`svc_limit${LIMIT_TEXT}`]: "100x40",
        [`svc_limit_spent${LIMIT_TEXT}`]: "50x10 92x30",
        [`svc_limit_reserved${LIMIT_TEXT}`]: "1x40",
      },
      silentAt: "10m",
      firesAt: "20m",
      labels: LIMIT,
    },
  },
  {
    name: "SluiceLimitSpentEarly",
    metrics: ["svc_limit_spent", "svc_limit", "svc_limit_resets_in_seconds"],
    expression: "svc_limit_spent / (svc_limit > 0) >= 0.8 and svc_limit_resets_in_seconds > 86400",
    waits: "5m",
    severity: "info",
    summary: "80% of a limit is spent more than a day before it resets.",
    runbook: "the-bill-doubled",
    example: {
      series: {
        [`svc_limit${LIMIT_TEXT}`]: "100x40",
        [`svc_limit_spent${LIMIT_TEXT}`]: "50x10 85x30",
        [`svc_limit_resets_in_seconds${LIMIT_TEXT}`]: "200000x40",
      },
      silentAt: "10m",
      firesAt: "20m",
      labels: LIMIT,
    },
  },
];
