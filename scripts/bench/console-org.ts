import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Server } from "../server.ts";
import { BENCH_RUNS, IS_ONE_OF_ALL } from "./options.ts";
import { QUICK } from "./harness.ts";
import { newBenchOrg, type Send, sender } from "./send.ts";

/** The large org whose pages are measured: its limits, and its runs over 60 days. */

const BATCH = 1000;
const SENT_AT_ONCE = 5;
export const CONSOLE_RUNS = BENCH_RUNS ?? (QUICK ? 50_000 : IS_ONE_OF_ALL ? 200_000 : 1_000_000);
export const CUSTOMERS = QUICK ? 2000 : 10_000;
const USERS = QUICK ? 400 : 2000;
const WORKFLOWS = 400;
/** Budgets that count each of their users separately. */
const GROUPED = 100;
export const BUDGETS = WORKFLOWS + GROUPED;
const PRICED_CUSTOMERS = 200;
const CUSTOMER_LIMITS = 200;
const DAY_MS = 86_400_000;
const DAYS = 60;
const PROGRESS = 100_000;

/** An org and the runs that it has. It is kept with its folder. */
export interface ConsoleOrg {
  readonly id: string;
  readonly key: string;
  readonly fromMs: number;
  sent: number;
}

/** A number from 0 to below 1 that looks random, and is the same each time. */
function spread(nth: number, salt: number): number {
  const mixed = Math.imul(nth ^ (salt * 0x9e37_79b1), 0x85eb_ca6b);
  return (((mixed ^ (mixed >>> 13)) * 0xc2b2_ae35) >>> 0) / 2 ** 32;
}

/** Few customers and users call often, and each of the others now and then. */
const skewed = (nth: number, salt: number, among: number) => Math.floor(among * spread(nth, salt) ** 2);

/** In the order of time, as runs come in. Two of each batch are refused by a budget that has no room. */
function batch(first: number, fromMs: number): string {
  const runs = Array.from({ length: BATCH }, (_, at) => {
    const nth = first + at;
    return {
      id: `run-${nth}`,
      started_at: new Date(fromMs + Math.floor((nth / CONSOLE_RUNS) * DAYS * DAY_MS)).toISOString(),
      model: `acme/m${nth % 12}`,
      workflow_id: at < 2 ? "wf_full" : `wf_${nth % WORKFLOWS}`,
      department_id: `dep_${nth % 10}`,
      customer_id: `cus_${skewed(nth, 1, CUSTOMERS)}`,
      user_id: `user_${skewed(nth, 2, USERS)}`,
      tags: { team: `team_${nth % 40}`, stage: nth % 3 === 0 ? "live" : "test" },
      usage: { input_tokens: 1000 + (nth % 997), output_tokens: 100 + (nth % 89) },
      cost_usd: `0.00${1000 + (nth % 8999)}`,
      incurred: at >= 2,
    };
  });
  return JSON.stringify({ runs });
}

/** The org of a folder that is measured again, else a new one. */
export async function consoleOrg(server: Server, file: string): Promise<ConsoleOrg> {
  const send = sender(server.urls[0]);
  const org = existsSync(file)
    ? (JSON.parse(readFileSync(file, "utf8")) as ConsoleOrg)
    : { ...(await newBenchOrg(server, send)), fromMs: Date.now() - DAYS * DAY_MS, sent: 0 };
  if (org.sent === 0) await setUp(server, org, send);
  const keep = () => writeFileSync(file, JSON.stringify(org), { mode: 0o600 });
  for (; org.sent < CONSOLE_RUNS; org.sent += SENT_AT_ONCE * BATCH) {
    if (org.sent > 0 && org.sent % PROGRESS === 0) console.error(`${org.sent.toLocaleString("en")} runs`);
    const firsts = each(SENT_AT_ONCE, (nth) => org.sent + nth * BATCH);
    const bulk = (first: number) => send("POST", "/v1/runs/bulk", org.key, batch(first, org.fromMs));
    await Promise.all(firsts.map((first) => sent(() => bulk(first))));
    keep();
  }
  keep();
  return org;
}

/** Something on every page. */
async function setUp(server: Server, { id, key, fromMs }: ConsoleOrg, send: Send): Promise<void> {
  const org = `/v1/orgs/${id}`;
  const make = (method: string, path: string, body: object, as = key) =>
    send(method, path, as, JSON.stringify(body));
  const operator = server.settings["SVC_OPERATOR_KEY"] ?? "";
  await make("POST", `${org}/credit-packs`, { customer_id: "cus_7", amount_usd: "75.00" });
  await make("PUT", `${org}/spend-cap`, { cap_usd: "12000.00", timezone: "UTC" });
  for (let nth = 0; nth < 20; nth += 1)
    await make("POST", `${org}/keys`, { name: `Key ${nth}`, role: "viewer" });
  for (let nth = 0; nth < 12; nth += 1) {
    const model = `acme/m${nth}`;
    const price = { input_usd_per_mtok: String(1 + nth), output_usd_per_mtok: String(5 + nth) };
    await make("PUT", `${org}/models/${encodeURIComponent(model)}`, price);
    const run_at = new Date(fromMs).toISOString();
    await make("POST", `${org}/evals`, { suite: "answers", model, score: 0.96, samples: 800, run_at });
  }
  await make("PUT", `${org}/routing-policy`, {
    candidates: ["acme/m1", "acme/m2"],
    eval_gate: { suite: "answers", min_score: 0.9, min_samples: 100, max_age_days: 90 },
    prefer: "cheapest",
  });
  await make("PUT", `${org}/fallbacks/cheaper`, {
    match: { model: "acme/m1" },
    then: [{ model: "acme/m2" }],
    on: ["limit"],
  });
  await make("PUT", `${org}/provider-keys/openai`, { secret: "sk-bench-0123456789" });
  await make("PUT", `${org}/content-safety`, {
    detectors: [{ id: "credit_card", kind: "builtin", action: "block" }],
  });
  await make("PUT", `${org}/digests/weekly`, { every: "week", at: "09:00" });
  await make("PUT", `${org}/exports/warehouse`, {
    format: "csv",
    every: "day",
    destination: { kind: "bucket" },
  });
  const subscription = await make("POST", `${org}/webhooks`, {
    url: "https://hooks.example.com/sluice",
    events: ["credit_pack.*"],
  });
  await make("POST", `${org}/webhooks/${String(subscription["id"])}/test`, {});
  await make("POST", `${org}/policy-rules`, {
    target: "model",
    effect: "require_approval",
    when: 'model == "acme/huge"',
    reason: "Large models need a second pair of eyes.",
    priority: 10,
    mode: "enforce",
  });
  const held = {
    id: "held-1",
    model: "acme/huge",
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd: "0.01",
  };
  const answer = await fetch(`${server.urls[0]}/v1/runs`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ ...held, workflow_id: "wf_1", started_at: new Date().toISOString() }),
  });
  await answer.arrayBuffer();
  const rates = [
    { name: "Spikes", match: {}, unit: "requests", limit: 600_000, window_seconds: 60, kind: "rate" },
  ];
  await make("PUT", `/v1/admin/orgs/${id}/rate-limits`, { read_rpm: 100_000, policies: rates }, operator);
  const full = { scope_kind: "workflow", scope_id: "wf_full", limit_usd: "0.000001" };
  const budgets = [
    ...each(WORKFLOWS, (nth) => ({
      scope_kind: "workflow",
      scope_id: `wf_${nth}`,
      limit_usd: String(10 + nth),
      mode: "enforce",
    })),
    ...each(GROUPED, (nth) => ({
      match: { workflow_id: `wf_${nth}` },
      group_by: ["user_id"],
      limit_usd: String(1 + nth),
    })),
    { ...full, mode: "enforce" },
  ];
  await atOnce(budgets.map((budget) => () => make("POST", `${org}/budgets`, { ...budget, period: "month" })));
  await atOnce(
    each(CUSTOMER_LIMITS, (nth) => () => {
      const limit = { customer_id: `cus_${nth}`, limit_usd: String(5 + nth), period: "month" };
      return make("POST", `${org}/customer-limits`, limit);
    }),
  );
  await atOnce(
    each(PRICED_CUSTOMERS, (nth) => () => {
      const customer = { name: `Customer ${nth}`, revenue: { usd_per_month: String(1 + nth) } };
      return make("PUT", `${org}/customers/cus_${nth}`, customer);
    }),
  );
}

function each<T>(count: number, of: (nth: number) => T): T[] {
  return Array.from({ length: count }, (_, nth) => of(nth));
}

const AT_ONCE = 20;

async function atOnce(tasks: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (let first = 0; first < tasks.length; first += AT_ONCE) {
    await Promise.all(tasks.slice(first, first + AT_ONCE).map((task) => task()));
  }
}

/** A runtime that is busy for seconds closes connections. Runs have ids, so a batch that is sent again counts once. */
export async function sent<T>(send: () => Promise<T>): Promise<T> {
  for (let left = 5; ; left -= 1) {
    try {
      return await send();
    } catch (error) {
      if (left === 0 || !(error instanceof TypeError)) throw error;
    }
  }
}
