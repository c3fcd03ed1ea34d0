/** The calls that docs/performance.md shows, and what each costs on Cloudflare. */

/** What a call uses beside processor time, which is measured. */
export interface Path {
  readonly name: string;
  /** The row that has its throughput and processor time. */
  readonly speed: string;
  /** The rows written by one call, by the names of what was measured. Null: it stores nothing with us. */
  readonly rows: ((measured: (name: string) => number) => number) | null;
  /** Requests of Workers and of objects, and lines that Sluice logs. Null: it does not run there. */
  readonly requests: { readonly worker: number; readonly object: number; readonly lines: number } | null;
}

const ISOLATE = "decision in an isolate, settled by a bulk run";
const OBJECT = "decision by the object and the run that settles it";
const ALONE = "run sent alone";
/** A busy isolate reports some 3.5 times a second; measured at 50 decisions a second. */
const REPORTS = 0.07;
/** A gate in another Worker settles its runs each second; at 50 calls a second. */
const SETTLEMENTS = 0.02;
/** What Sluice logs of a call that a gate in another Worker decided: its reports and its settlements. */
export const LINES_OF_GATE = REPORTS + SETTLEMENTS;

const inIsolate = {
  rows: (of: (name: string) => number) => of(ISOLATE),
  requests: { worker: 1, object: REPORTS, lines: 1 },
};
const refused = { rows: () => 0, requests: { worker: 1, object: 0, lines: 1 } };
const EMPTY = { rows: null, requests: { worker: 1, object: 0, lines: 0 } };
const asked = { worker: 1, object: 1, lines: 1 };

export const OURS: readonly Path[] = [
  { name: "decision in the isolate, 10 limits", speed: "allow here, 10 limits set", ...inIsolate },
  {
    name: "the same, if allows are not logged (`SVC_LOG_DECISIONS=refused`)",
    speed: "allow here, 10 limits set",
    rows: inIsolate.rows,
    requests: { ...inIsolate.requests, lines: 0 },
  },
  {
    name: "the same with rules, eight detectors on 2 kB and a plan",
    speed: "allow here, all checks",
    ...inIsolate,
  },
  { name: "refusal in the isolate", speed: "deny here, body read", ...refused },
  { name: "refusal by a rate limit", speed: "deny here, body unread", ...refused },
  {
    name: "decision by the object",
    speed: "allow by the object",
    rows: (of) => of(OBJECT) - of(ALONE),
    requests: asked,
  },
  { name: "run sent alone", speed: "run alone", rows: (of) => of(ALONE), requests: asked },
  {
    name: "run in a bulk of 1,000 for 50 customers",
    speed: "bulk ingest, five limits",
    rows: (of) => of("run in bulks of 1000"),
    requests: { worker: 0.001, object: 0.001, lines: 0.001 },
  },
  {
    name: "the same, priced by five classes of tokens",
    speed: "the same, five classes priced from the book",
    rows: (of) => of("run in bulks of 1000"),
    requests: { worker: 0.001, object: 0.001, lines: 0.001 },
  },
  { name: "read of a budget", speed: "read of a budget", rows: () => 0, requests: asked },
];

/** A proxy with the gate inside, and the same without it. */
function embedding(form: string): Path[] {
  return [
    { name: `plain proxy, ungoverned, ${form}`, speed: `plain proxy, ${form}`, ...EMPTY },
    {
      name: `the same with the gate inside, ${form}`,
      speed: `embedded gate, ${form}`,
      rows: inIsolate.rows,
      requests: { worker: 1, object: REPORTS, lines: LINES_OF_GATE },
    },
    {
      name: `the same, without what Sluice itself uses, ${form}`,
      speed: `embedded gate, ${form}, service elsewhere`,
      ...EMPTY,
    },
  ];
}

function asking(form: string): Path[] {
  return [
    { name: `the same asking over RPC, ${form}`, speed: `asks over RPC, ${form}`, ...inIsolate },
    {
      name: `the same asking over HTTP, ${form}`,
      speed: `asks over HTTP, ${form}`,
      rows: inIsolate.rows,
      requests: { worker: 2, object: REPORTS, lines: 1 },
    },
  ];
}

export const PROXIES: readonly Path[] = ["whole", "stream"].flatMap((form) => [
  ...embedding(form),
  ...asking(form),
]);

export const PEERS: readonly Path[] = [
  {
    name: "empty Hono app in the same runtime",
    speed: "reference",
    ...EMPTY,
  },
  {
    name: "one call to an object, one upsert",
    speed: "one RPC, one upsert",
    rows: () => 1,
    requests: { ...asked, lines: 0 },
  },
  {
    name: "rate-limiter-flexible in memory: one rate limit of one isolate",
    speed: "rate-limiter-flexible, in memory",
    ...EMPTY,
  },
  {
    name: "rate-limiter-flexible over Redis: one rate limit, in Node; CPU without that of Redis",
    speed: "rate-limiter-flexible, over Redis",
    rows: null,
    requests: null,
  },
  {
    name: "Portkey's gateway: a proxy without budgets, in Node",
    speed: "Portkey's gateway, whole",
    rows: null,
    requests: null,
  },
];

/** Dollars for a million of each, beyond what the plan includes. Processor time: of a million milliseconds. */
export const USD = { workerRequest: 0.3, cpuMs: 0.02, objectRequest: 0.15, rowWritten: 1, logLine: 0.6 };

/** What a million calls cost. */
export function dollars(
  path: Path,
  { cpuMicros, written }: { readonly cpuMicros: number; readonly written: number },
): number {
  const { worker, object, lines } = path.requests ?? { worker: 0, object: 0, lines: 0 };
  return (
    worker * USD.workerRequest +
    (cpuMicros / 1000) * USD.cpuMs +
    object * USD.objectRequest +
    written * USD.rowWritten +
    lines * USD.logLine
  );
}
