import {
  ARCHIVE_FAILURES,
  type ArchiveFailure,
  RUN_OUTCOMES,
  UNSETTLED_REASONS,
  type UnsettledReason,
} from "./lists.ts";
import { TOKEN_CLASS_NAMES, type TokenClass } from "./token-classes.ts";

/**
 * The metrics and their labels. Every label value comes from a closed set (route templates, methods, statuses, codes of
 * the catalog), so no caller can add a series. A series is named by its metric and its label values in order.
 */

/** How busy an org was. */
export type OrgCallRow = readonly [
  orgId: string,
  calls: number,
  refusals: number,
  errors: number,
  cpuUs: number,
  slowestMs: number,
];

/** How busy an org was in one minute of an hour. The last one is 59. */
export type OrgMinuteRow = readonly [
  orgId: string,
  minute: number,
  calls: number,
  refusals: number,
  errors: number,
  slowestMs: number,
];

/** One batch of counts of one source; a shard applies each number of a source once. */
export interface CounterBatch {
  readonly seq: number;
  readonly deltas: readonly (readonly [series: string, by: number])[];
}

/** The shards as seen by a source. `settled`: no batch with that number will be sent again. */
export interface CounterNamespace {
  getByName(name: string): {
    /** \`orgs\`: how busy each was, for the operator's overview. They are no metric. */
    add(
      source: string,
      settled: number,
      batches: readonly CounterBatch[],
      orgs?: readonly OrgCallRow[],
    ): Promise<void>;
  };
}

/** The shards as seen by an object that tells of itself. */
export interface GaugeNamespace {
  getByName(name: string): { tell(source: string, values: readonly GaugeValue[]): Promise<void> };
}

/** Must never change: `/metrics` sums exactly these. */
export const SHARD_NAMES: readonly string[] = Array.from({ length: 8 }, (_, index) => `shard-${index}`);

/** The shard of a source. It is always the same one, because otherwise a batch sent twice would count twice. */
export function shardOf(source: string): string {
  const sum = [...new TextEncoder().encode(source)].reduce((total, byte) => (total * 31 + byte) % 65_521, 7);
  return SHARD_NAMES[sum % SHARD_NAMES.length] ?? "shard-0";
}

interface CounterSpec {
  readonly help: string;
  readonly labels: readonly string[];
}

export const COUNTERS = {
  svc_deprecated_route_calls_total: {
    help: "Calls to deprecated routes. Exact: each call is stored before the response.",
    labels: ["route"],
  },
  svc_requests_total: {
    help: "Requests by route template, method and status.",
    labels: ["route", "method", "status"],
  },
  svc_decisions_total: {
    help: "Decisions by verdict, error code and where they were made.",
    labels: ["verdict", "code", "place"],
  },
  svc_holds_expired_total: {
    help: "Reservations that expired without being settled or released.",
    labels: [],
  },
  svc_ungoverned_calls_total: {
    help: "Calls that gates of callers let pass while they could not reach the service, as they reported.",
    labels: [],
  },
  svc_unsettled_calls_total: {
    help: "Calls that were made and whose runs will not be recorded, by reason, as the gates of callers reported.",
    labels: ["reason"],
  },
  svc_webhook_deliveries_total: { help: "Webhook delivery attempts by outcome.", labels: ["outcome"] },
  svc_runs_total: {
    help: "Runs by outcome, and by whether they were recorded, known already or refused.",
    labels: ["outcome", "status"],
  },
  svc_spend_nano_usd_total: {
    help: "Cost of recorded runs in nano-dollars, with later charges. What was given back is not subtracted.",
    labels: [],
  },
  svc_tokens_total: {
    help: "Tokens of recorded runs by class. Each token is in one class.",
    labels: ["class"],
  },
  svc_archive_failures_total: {
    help: "Files of the archive that could not be read or written, by reason. The log names the file and the org.",
    labels: ["reason"],
  },
  svc_unpriced_total: { help: "Runs and decisions refused because no price applies.", labels: [] },
} as const satisfies Record<string, CounterSpec>;

export type CounterName = keyof typeof COUNTERS;

/**
 * The gauges that objects tell of themselves, each its own value. `sum`: the values are added up. `oldest`: each value
 * is a time, and the longest time since any of them is shown, in seconds.
 */
export const GAUGES = {
  svc_holds_open: { help: "Open reservations.", shown: "sum" },
  svc_lease_nano_usd: {
    help: "Nano-dollars of limits that isolates and outside gates have leased, summed over limits.",
    shown: "sum",
  },
  svc_due_oldest_seconds: {
    help: "How long the oldest due work of any object is overdue. Objects tell every few seconds.",
    shown: "oldest",
  },
  svc_webhook_failing: {
    help: "Webhooks that are enabled and whose oldest delivery has failed at least once and is tried again.",
    shown: "sum",
  },
  svc_export_lag_seconds: {
    help: "How long the oldest closed export window of any org waits to be exported.",
    shown: "oldest",
  },
} as const satisfies Record<string, { readonly help: string; readonly shown: "sum" | "oldest" }>;

export type GaugeName = keyof typeof GAUGES;
/** Null if the object has nothing of this kind. */
export type GaugeValue = readonly [name: GaugeName, value: number | null];

/** The gauges that an org reads of its own limits. Dollars are dollars, not nano-dollars. */
export const LIMIT_GAUGES = {
  svc_limit: "The limit itself. An unlimited one has none.",
  svc_limit_spent: "What was spent in the current period, including what passed the limit.",
  svc_limit_reserved: "What open reservations and leases take.",
  svc_limit_resets_in_seconds: "When the current period ends. A limit without periods has none.",
} as const;

/** A limit's labels. Their values are its own fields. */
export const LIMIT_LABELS = ["kind", "id", "unit", "scope_kind", "scope_id", "period", "mode"] as const;

/** How many limits have no series of their own. */
export const LIMITS_LEFT_OUT = {
  name: "svc_limits_left_out",
  help: "Limits that are not shown, because there are too many. Those of single customers are left out first.",
} as const;

/**
 * The runtime's clock does not advance while code runs, so this is the time a request spent waiting (for objects, D1,
 * other regions or its own body), not compute time.
 */
export const WAIT_HISTOGRAM = {
  name: "svc_request_wait_seconds",
  help: "Time a request spent waiting on I/O. Compute time is not included, because the clock does not advance during it.",
  label: "place",
  places: ["edge", "object", "other"],
  bounds: [0, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
} as const;

export type WaitPlace = (typeof WAIT_HISTOGRAM.places)[number];

/** Requests that matched no route, and methods outside the closed set. */
const UNMATCHED_ROUTE = "unmatched";
const METHODS = new Set(["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]);

/** No label value contains a tab: they are templates, methods, numbers and identifiers of ours. */
const SEPARATOR = "\t";

export function requestSeries(route: string | undefined, method: string, status: number): string {
  return series(
    "svc_requests_total",
    route ?? UNMATCHED_ROUTE,
    METHODS.has(method) ? method : "other",
    status,
  );
}

export function deprecatedCallSeries(route: string): string {
  return series("svc_deprecated_route_calls_total", route);
}

/** `code` is null for an allow. */
export function decisionSeries(
  verdict: "allow" | "deny",
  code: string | null,
  place: "edge" | "object",
): string {
  return series("svc_decisions_total", verdict, code ?? "none", place);
}

/** `gone` and `exhausted` also disable the subscription. */
const DELIVERY_OUTCOMES = ["succeeded", "retried", "gone", "exhausted"] as const;
type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

export function deliverySeries(outcome: DeliveryOutcome): string {
  return series("svc_webhook_deliveries_total", outcome);
}

const RUN_STATUSES = ["accepted", "duplicate", "rejected"] as const;
type RunStatus = (typeof RUN_STATUSES)[number];
type RunOutcome = (typeof RUN_OUTCOMES)[number];

export function runSeries(outcome: RunOutcome, status: RunStatus): string {
  return series("svc_runs_total", outcome, status);
}

export function unsettledSeries(reason: UnsettledReason): string {
  return series("svc_unsettled_calls_total", reason);
}

export function archiveFailureSeries(reason: ArchiveFailure): string {
  return series("svc_archive_failures_total", reason);
}

/** `input` and `output`: tokens that are in no other class. */
export function tokenSeries(kind: TokenClass | "input" | "output"): string {
  return series("svc_tokens_total", kind);
}

/** The buckets of a distribution, and its sum in milliseconds, are kept as counters of their own. */
export function waitSeries(place: WaitPlace, part: number | "ms"): string {
  return series(WAIT_HISTOGRAM.name, place, part);
}

/** The bucket of a wait. The bucket after the last bound takes the rest. */
export function waitBucket(waitedMs: number): number {
  const index = WAIT_HISTOGRAM.bounds.findIndex((bound) => waitedMs <= bound * 1000);
  return index < 0 ? WAIT_HISTOGRAM.bounds.length : index;
}

/** Series that are shown from the start with a count of zero. */
export function initialSeries(deprecatedRoutes: readonly string[]): string[] {
  return [
    ...deprecatedRoutes.map(deprecatedCallSeries),
    HOLDS_EXPIRED_SERIES,
    UNGOVERNED_SERIES,
    ...UNSETTLED_REASONS.map(unsettledSeries),
    ...DELIVERY_OUTCOMES.map(deliverySeries),
    ...RUN_OUTCOMES.flatMap((outcome) => RUN_STATUSES.map((status) => runSeries(outcome, status))),
    SPEND_SERIES,
    ...(["input", "output", ...TOKEN_CLASS_NAMES] as const).map(tokenSeries),
    UNPRICED_SERIES,
    ...ARCHIVE_FAILURES.map(archiveFailureSeries),
  ];
}

type SeriesPart = string | number;

interface SeriesNode {
  readonly next: Map<SeriesPart, SeriesNode>;
  text?: string;
}

/** A cache of series names for the hot path. Its size is bounded by the number of series. */
const names: SeriesNode = { next: new Map() };

function series(name: CounterName | typeof WAIT_HISTOGRAM.name, ...values: SeriesPart[]): string {
  let node = child(names, name);
  for (const value of values) node = child(node, value);
  return (node.text ??= [name, ...values].join(SEPARATOR));
}

function child(node: SeriesNode, part: SeriesPart): SeriesNode {
  const known = node.next.get(part);
  if (known) return known;
  const made: SeriesNode = { next: new Map() };
  node.next.set(part, made);
  return made;
}

export const HOLDS_EXPIRED_SERIES = series("svc_holds_expired_total");
export const UNGOVERNED_SERIES = series("svc_ungoverned_calls_total");
export const SPEND_SERIES = series("svc_spend_nano_usd_total");
export const UNPRICED_SERIES = series("svc_unpriced_total");

export function readSeries(text: string): { readonly name: string; readonly values: readonly string[] } {
  const [name = "", ...values] = text.split(SEPARATOR);
  return { name, values };
}
