import { createExecutionContext } from "cloudflare:test";
import { vi } from "vitest";
import { createApp } from "../../src/app.ts";
import { counters } from "../../src/counters.ts";
import { decideFast } from "../../src/edge/decision/fast.ts";
import type { Env } from "../../src/edge/env.ts";
import { env } from "./worker.ts";

/**
 * The same request on two paths: at the front door, where the fast path may answer it, and directly in the pipeline. It
 * records what callers and operators can see of both, without ids, times and waits.
 */

export interface Sent {
  readonly method?: string;
  /** The part after the host, or a whole URL. */
  readonly to?: string;
  readonly key?: string | null;
  readonly from?: string;
  readonly body?: string | Uint8Array<ArrayBuffer> | (() => ReadableStream) | null;
  /** Null removes a header. A function computes it for each path. */
  readonly headers?: Readonly<Record<string, string | null | (() => string)>>;
  readonly env?: Env;
}

export interface Seen {
  readonly status: number;
  readonly body: string;
  readonly headers: Record<string, string>;
  readonly counts: readonly string[];
  log: readonly string[];
}

export interface Compared {
  readonly front: Seen;
  readonly back: Seen;
  /** Whether the fast path answered the request at the front door. */
  readonly isFast: boolean;
}

const app = createApp();
const HUNG = new Response("hung", { status: 599 });
const PATIENCE_MS = 6000;

export function requestOf({
  method = "POST",
  to = "/v1/edge/decision",
  key,
  from,
  body,
  headers,
}: Sent): Request {
  const all = new Headers({ "content-type": "application/json", "cf-connecting-ip": from ?? "203.0.113.7" });
  if (key !== null && key !== undefined) all.set("authorization", `Bearer ${key}`);
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  if (bytes instanceof Uint8Array) all.set("content-length", String(bytes.byteLength));
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (value === null) all.delete(name);
    else all.set(name, typeof value === "string" ? value : value());
  }
  const given = typeof bytes === "function" ? bytes() : bytes;
  const address = to.includes("://") ? to : `http://sluice.test${to}`;
  return new Request(address, { method, headers: all, ...(given === undefined ? {} : { body: given }) });
}

const masked = (text: string): string =>
  text
    .replaceAll(/\b([a-z]+)_[0-9A-HJKMNP-TV-Z]{26}/g, "$1_*")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "*")
    .replaceAll(/("(?:available|available_usd|retry_after_seconds)":)("?)[\d.]+\2/g, "$1*");

const CHANGING: Record<string, RegExp> = {
  "x-svc-trace-id": /.+/,
  "retry-after": /^\d+$/,
  ratelimit: /;[rt]=\d+/g,
};

function headersOf(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    [...headers].map(([name, value]) => [name, value.replace(CHANGING[name] ?? /$^/, "*")]),
  );
}

/** How long a call waited varies, and so do the milliseconds that are counted. */
function countOf(series: string, by: number): string[] {
  if (!/^svc_(requests|decisions|request_wait)/.test(series)) return [];
  if (!series.startsWith("svc_request_wait")) return [`${series} ${by}`];
  return series.endsWith("\tms") ? [] : [`${series.replace(/\t\d+$/, "\t*")} ${by}`];
}

async function observed(respond: () => Response | Promise<Response>): Promise<{ seen: Seen; trace: string }> {
  const counting = vi.spyOn(counters, "count");
  try {
    const response = await Promise.race([respond(), scheduler.wait(PATIENCE_MS).then(() => HUNG.clone())]);
    const body = masked(await response.text());
    const counts = counting.mock.calls.flatMap(([series, by = 1]) => countOf(series, by)).toSorted();
    const trace = response.headers.get("x-svc-trace-id") ?? "";
    const headers = headersOf(response.headers);
    return { seen: { status: response.status, body, headers, counts, log: [] }, trace };
  } finally {
    counting.mockRestore();
  }
}

export function byPipeline(sent: Sent) {
  const bindings = sent.env ?? env;
  return observed(() => app.fetch(requestOf(sent), bindings, createExecutionContext()));
}

export async function atFront(sent: Sent) {
  const bindings = sent.env ?? env;
  let isFast = true;
  const outcome = await observed(() => {
    const context = createExecutionContext();
    const serve = (asked: Request) => {
      isFast = false;
      return app.fetch(asked, bindings, context);
    };
    const request = requestOf(sent);
    return decideFast(request.url, { request, env: bindings, context, serve }) ?? serve(request);
  });
  return { ...outcome, isFast };
}

const TRIES = 6;

/**
 * The pipeline first, which also teaches the isolate the key and renews its copies. While the isolate learns, the place
 * of a decision may change between the two, and its knowledge may expire. Then both are sent again.
 */
async function sendBoth(sent: Sent, wantsFast: boolean) {
  let back = await byPipeline(sent);
  // A slow response outlives what it taught the isolate.
  const { body: _body, headers: _headers, ...caller } = sent;
  await byPipeline({ ...caller, method: "GET", to: "/v1/runs" });
  let front = await atFront(sent);
  for (let tries = 1; tries < TRIES; tries += 1) {
    const isSettled = !isMoving(front, back) && (front.isFast || !wantsFast);
    if (isSettled) break;
    back = await byPipeline(sent);
    front = await atFront(sent);
  }
  return { front, back };
}

type Outcome = Awaited<ReturnType<typeof byPipeline>>;

function isMoving(front: Outcome, back: Outcome): boolean {
  return front.seen.headers["x-svc-decided"] !== back.seen.headers["x-svc-decided"];
}

/** The fast path writes its log lines together, a fifth of a second later. */
const GATHER_MS = 260;

/** Every request on both paths, one after another. */
export async function compare(
  requests: Readonly<Record<string, Sent>>,
  wantsFast = false,
): Promise<Record<string, Compared>> {
  const lines: string[] = [];
  const logging = vi
    .spyOn(console, "log")
    .mockImplementation((text: string) => void lines.push(...text.split("\n")));
  const pairs: [string, Awaited<ReturnType<typeof sendBoth>>][] = [];
  try {
    for (const [name, sent] of Object.entries(requests)) pairs.push([name, await sendBoth(sent, wantsFast)]);
    await scheduler.wait(GATHER_MS);
  } finally {
    logging.mockRestore();
  }
  const logOf = (trace: string) =>
    lines
      .filter((line) => line.includes(`"trace":"${trace}"`))
      .map((line) =>
        masked(line)
          .replace(trace, "*")
          .replace(/"ms":\d+/, '"ms":*'),
      );
  return Object.fromEntries(
    pairs.map(([name, { front, back }]) => {
      front.seen.log = logOf(front.trace);
      back.seen.log = logOf(back.trace);
      return [name, { front: front.seen, back: back.seen, isFast: front.isFast }];
    }),
  );
}
