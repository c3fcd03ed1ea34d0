import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { claimPorts } from "../ports.ts";
import { type Server, startServer } from "../server.ts";
import type { BenchRow } from "./bench-row.ts";
import { QUICK } from "./harness.ts";
import { reach } from "./send.ts";

/** An org that moves between two regions while it is used: what was lost, doubled or overspent, and how long calls waited. */

const SETTINGS = {
  SVC_KEY_PEPPER: "pepper-of-the-bench-0123456789abcdefghij",
  SVC_OPERATOR_KEY: "svc_operator_of-the-bench-0123456789abcd",
  SVC_REGION_SECRET: "region-secret-of-the-bench-0123456789abc",
};
/** Each request is a decision, and the run that settles it. */
const REQUESTS_PER_SECOND = 100;
const SECONDS = QUICK ? 5 : 8;
/** Some requests at the end find the budget used up. */
const LIMIT_REQUESTS = Math.floor(REQUESTS_PER_SECOND * SECONDS * 1.6);
const MOST_ATTEMPTS = 400;
const PAUSE_MS = 50;

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function call(method: string, url: string, key: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const sent = await reach(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: sent.status, body: await sent.json() };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A budget's callers, who send each call again until it is answered. */
class Callers {
  readonly #urls: readonly string[];
  readonly #key: string;
  readonly recorded = new Set<string>();
  calls = 0;
  refused = 0;
  longestMs = 0;

  constructor(urls: readonly string[], key: string) {
    this.#urls = urls;
    this.#key = key;
  }

  async request(nth: number): Promise<void> {
    const id = `r-${nth}`;
    const asked = { request_id: id, estimate: { cost_usd: "0.01" } };
    const decided = await this.#send("/v1/edge/decision", asked, nth);
    if (decided.status === 402) {
      this.refused += 1;
      return;
    }
    const { id: reservation_id } = decided.body["reservation"] as { id: string };
    const usage = { input_tokens: 1, output_tokens: 1 };
    const sent = {
      id,
      reservation_id,
      started_at: new Date().toISOString(),
      model: "m",
      usage,
      cost_usd: "0.01",
    };
    const stored = await this.#send("/v1/runs", sent, nth + 1);
    if (stored.status !== 200 && stored.status !== 201) throw new Error(`a run got ${stored.status}`);
    this.recorded.add(id);
  }

  async #send(path: string, body: object, nth: number): Promise<Answer> {
    const began = performance.now();
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const url = this.#urls[(nth + attempt) % this.#urls.length] ?? "";
      const answer = await call("POST", `${url}${path}`, this.#key, body).catch(() => null);
      if (answer !== null && answer.status < 500) {
        this.calls += 1;
        this.longestMs = Math.max(this.longestMs, performance.now() - began);
        return answer;
      }
      await pause(PAUSE_MS);
    }
    throw new Error(`${path} was never answered`);
  }
}

async function listed(url: string, key: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ""; ;) {
    const page = (await call("GET", `${url}/v1/runs?limit=200${cursor}`, key)).body;
    ids.push(...(page["data"] as { id: string }[]).map(({ id }) => id));
    if (page["next_cursor"] === null) return ids;
    cursor = `&cursor=${page["next_cursor"] as string}`;
  }
}

/** Requests at an even rate, with the move in their middle. */
async function underLoad(callers: Callers, begin: () => Promise<Answer>) {
  const began = performance.now();
  const inFlight: Promise<void>[] = [];
  let moved: Promise<Answer> | null = null;
  const total = REQUESTS_PER_SECOND * SECONDS * 2;
  for (let nth = 0; nth < total; nth += 1) {
    const earlyMs = (nth * 1000) / REQUESTS_PER_SECOND - (performance.now() - began);
    if (earlyMs > 0) await pause(earlyMs);
    if (nth === total / 2) moved = begin();
    inFlight.push(callers.request(nth));
  }
  await Promise.all(inFlight);
  const move = await moved;
  if (move?.status !== 200) throw new Error(`the move got ${move?.status}`);
  return { move, seconds: (performance.now() - began) / 1000 };
}

async function measure([eu, us]: readonly [Server, Server]): Promise<BenchRow[]> {
  const [home, other] = [eu.urls[0], us.urls[0]];
  const operator = SETTINGS.SVC_OPERATOR_KEY;
  const made = await call("POST", `${home}/v1/admin/orgs`, operator, { name: "Moving", home_region: "eu" });
  const [org, key] = [made.body["org"] as { id: string }, String(made.body["owner_key"])];
  const limit = {
    scope_kind: "org",
    limit_usd: (LIMIT_REQUESTS / 100).toFixed(2),
    period: "total",
    mode: "enforce",
  };
  const budget = await call("POST", `${home}/v1/orgs/${org.id}/budgets`, key, limit);
  const callers = new Callers([home, other], key);
  const { move, seconds } = await underLoad(callers, () =>
    call("POST", `${home}/v1/admin/orgs/${org.id}/move`, operator, { to: "us" }),
  );
  const ids = await listed(other, key);
  const once = new Set(ids);
  const { spent_usd } = (
    await call("GET", `${home}/v1/orgs/${org.id}/budgets/${String(budget.body["id"])}`, key)
  ).body;
  const spent = Math.round(Number(spent_usd) * 100);
  const lost = [...callers.recorded].filter((id) => !once.has(id)).length;
  const found = `${lost} lost, ${ids.length - once.size} doubled, ${Math.max(0, spent - LIMIT_REQUESTS, spent - once.size)} overspent`;
  const waited = `writes waited ${String(move.body["writes_waited_ms"])} ms, the slowest call took ${Math.round(callers.longestMs)} ms`;
  return [
    {
      name: "an org that moves while it is used: calls",
      perSecond: Math.round(callers.calls / seconds),
      cpuMicros: null,
      ratio: null,
      of: null,
      target: null,
      note: `${callers.calls} calls, ${callers.recorded.size} runs, ${callers.refused} refused: ${found}; ${waited}`,
    },
  ];
}

export async function run(): Promise<BenchRow[]> {
  const folders = ["eu", "us"].map((region) => mkdtempSync(join(tmpdir(), `sluice-bench-${region}-`)));
  const [euPort = 0, usPort = 0] = await claimPorts(0, 2);
  const start = (at: 0 | 1) => {
    const [region, port, other, otherPort] =
      at === 0 ? (["eu", euPort, "us", usPort] as const) : (["us", usPort, "eu", euPort] as const);
    const regions = JSON.stringify({ [other]: `http://127.0.0.1:${otherPort}` });
    const settings = { ...SETTINGS, SVC_REGION: region, SVC_REGIONS: regions };
    return startServer({ port, dataDir: folders[at] ?? "", settings });
  };
  const servers = [await start(0), await start(1)] as const;
  try {
    return await measure(servers);
  } finally {
    for (const server of servers) await server.dispose();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
}
