import { createExecutionContext } from "cloudflare:test";
import { vi } from "vitest";
import { createApp } from "../../src/app.ts";
import { counters } from "../../src/counters.ts";
import { serveDecision } from "../../src/edge/decision/serve.ts";
import type { Env } from "../../src/edge/env.ts";
import { handlerOf } from "../../src/entry.ts";
import { env } from "./worker.ts";
import { PATIENCE_MS } from "./patience.ts";

/** A decision at the Worker's door, and what callers and operators can see of it, without ids, times and waits. */

export interface Sent {
  readonly method?: string;
  /** The part after the host, or a whole URL. */
  readonly to?: string;
  readonly key?: string | null;
  readonly from?: string;
  readonly body?: string | Uint8Array<ArrayBuffer> | (() => ReadableStream) | null;
  /** Null removes a header. A function computes it. */
  readonly headers?: Readonly<Record<string, string | null | (() => string)>>;
  readonly env?: Env;
}

export interface Seen {
  readonly status: number;
  readonly body: string;
  readonly headers: Record<string, string>;
  readonly counts: readonly string[];
}

const app = createApp();
const HUNG = new Response("hung", { status: 599 });

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
    return { seen: { status: response.status, body, headers, counts }, trace };
  } finally {
    counting.mockRestore();
  }
}

const handle = handlerOf({ decisions: serveDecision, rest: app.fetch });

export function send(sent: Sent) {
  return observed(() => handle(requestOf(sent), sent.env ?? env, createExecutionContext()));
}

/** As calls that the Worker makes to itself are served, and paths that are spelled differently. */
export function sendToRouter(sent: Sent) {
  return observed(() => app.fetch(requestOf(sent), sent.env ?? env, createExecutionContext()));
}

/** Lines of decisions are written together, a fifth of a second later. */
const GATHER_MS = 260;

/** Sends requests one after another. Each has its lines of the log. */
export async function sendAll(
  requests: Readonly<Record<string, Sent>>,
): Promise<Record<string, Seen & { readonly log: readonly string[] }>> {
  const lines: string[] = [];
  const logging = vi
    .spyOn(console, "log")
    .mockImplementation((text: string) => void lines.push(...text.split("\n")));
  const answers: [string, Awaited<ReturnType<typeof send>>][] = [];
  try {
    for (const [name, sent] of Object.entries(requests)) answers.push([name, await send(sent)]);
    await scheduler.wait(GATHER_MS);
  } finally {
    logging.mockRestore();
  }
  const logOf = (trace: string) => lines.filter((line) => line.includes(`"trace":"${trace}"`));
  return Object.fromEntries(answers.map(([name, { seen, trace }]) => [name, { ...seen, log: logOf(trace) }]));
}
