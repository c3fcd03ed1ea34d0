/**
 * The metrics and their labels. Every label value comes from a closed set (route templates, methods, statuses, codes of
 * the catalog), so no caller can add a series. A series is named by its metric and its label values in order.
 */

/** One batch of counts of one source; a shard applies each number of a source once. */
export interface CounterBatch {
  readonly seq: number;
  readonly deltas: readonly (readonly [series: string, by: number])[];
}

/** The shards as seen by a source. `settled`: no batch with that number will be sent again. */
export interface CounterNamespace {
  getByName(name: string): {
    add(source: string, settled: number, batches: readonly CounterBatch[]): Promise<void>;
  };
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
  svc_webhook_deliveries_total: { help: "Webhook delivery attempts by outcome.", labels: ["outcome"] },
} as const satisfies Record<string, CounterSpec>;

export type CounterName = keyof typeof COUNTERS;

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
    ...DELIVERY_OUTCOMES.map(deliverySeries),
  ];
}

type Part = string | number;

interface Named {
  readonly next: Map<Part, Named>;
  text?: string;
}

/** A cache of series names for the hot path. Its size is bounded by the number of series. */
const names: Named = { next: new Map() };

function series(name: CounterName | typeof WAIT_HISTOGRAM.name, ...values: Part[]): string {
  let node = child(names, name);
  for (const value of values) node = child(node, value);
  return (node.text ??= [name, ...values].join(SEPARATOR));
}

function child(node: Named, part: Part): Named {
  const known = node.next.get(part);
  if (known) return known;
  const made: Named = { next: new Map() };
  node.next.set(part, made);
  return made;
}

export const HOLDS_EXPIRED_SERIES = series("svc_holds_expired_total");

export function readSeries(text: string): { readonly name: string; readonly values: readonly string[] } {
  const [name = "", ...values] = text.split(SEPARATOR);
  return { name, values };
}
