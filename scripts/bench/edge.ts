import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGate } from "../../src/client/gate/index.ts";
import { type Server, startServer } from "../server.ts";
import { type SendDecision, askOver, type Counts, drive, type Spread, subjectsOf } from "./edge-traffic.ts";
import type { BenchRow } from "./bench-row.ts";
import { cpuSeconds, QUICK } from "./harness.ts";
import { BENCH_ROWS, IS_ONE_OF_ALL } from "./options.ts";
import { reach } from "./send.ts";
import type { Written } from "./rows-worker.ts";

/**
 * The share of decisions that isolates make by themselves, where calls are spread over many customers or users, each with a
 * limit of its own that is far from full. Four isolates; shares and rows, which hardly depend on the machine's speed.
 */
const ISOLATES = 4;
/** As many calls as come in so long, though a busy machine takes longer for them. */
const WARM_UP_SECONDS = 6;
const MOST_WARM_UP_SECONDS = 60;
const SECONDS = QUICK || IS_ONE_OF_ALL ? 8 : 20;
/** What differs most from each other, and is measured among all other parts. */
const OF_ALL = new Set([
  "8 customers",
  "1,000 customers",
  "100 customers, all checks",
  "100 customers, embedded gates",
]);
/** So long until most customers who are called again at all within a minute were seen. */
const ZIPF_SECONDS = 60;
const FAR = "900000000";
const MOST_RENEWAL_CPU = 0.05;
const MOST_ROWS = 0.3;

interface Traffic {
  readonly name: string;
  readonly subjects: number;
  readonly perSecond: number;
  readonly spread: Spread;
  readonly least: number;
}

const CUSTOMERS: readonly Traffic[] = [
  { name: "8 customers", subjects: 8, perSecond: 20, spread: "evenly", least: 0.99 },
  { name: "100 customers", subjects: 100, perSecond: 100, spread: "evenly", least: 0.97 },
  { name: "1,000 customers", subjects: 1000, perSecond: 100, spread: "evenly", least: 0.9 },
  { name: "10,000 customers, Zipf", subjects: 10_000, perSecond: 200, spread: "zipf", least: 0.7 },
];
const [EIGHT, HUNDRED, THOUSAND] = CUSTOMERS as [Traffic, Traffic, Traffic];
/** How much smaller the share may be with everything in force. */
const LESS_WITH_ALL = 0.02;

interface Org {
  readonly id: string;
  readonly key: string;
}

/** How the isolates are reached: over HTTP each, the front Worker, or gates in this process. */
type Place = "isolates" | "front" | "embedded";

interface Case extends Traffic {
  readonly place: Place;
  readonly limits: (server: Server, org: Org) => Promise<void>;
  readonly bodyOf: (subject: number) => object;
}

const ESTIMATE = { cost_usd: "0.01", input_tokens: 900, max_output_tokens: 100 };
const customer = (subject: number) => ({ customer_id: `cus_${subject}`, estimate: ESTIMATE });
const user = (subject: number) => ({ user_id: `user_${subject}`, estimate: ESTIMATE });
const checked = (subject: number) => ({ ...customer(subject), checks: "all", model: "acme/m1", input: "Hi" });

export async function run(): Promise<BenchRow[]> {
  const chosen = cases().filter(({ name }) =>
    BENCH_ROWS === null ? !IS_ONE_OF_ALL || OF_ALL.has(name) : name.includes(BENCH_ROWS),
  );
  const rows: BenchRow[] = [];
  for (const one of chosen) rows.push(...(await measured(one)));
  if (BENCH_ROWS === null || "renewals".includes(BENCH_ROWS)) rows.push(await renewals());
  return rows;
}

function cases(): Case[] {
  const isolates = { place: "isolates", limits: customerLimits, bodyOf: customer } as const;
  const users = (["usd", "tokens", "runs"] as const).map((unit): Case => {
    const name = `8 users, ${unit}`;
    return { ...EIGHT, name, place: "isolates", limits: groupedBudget(unit), bodyOf: user };
  });
  const all = CUSTOMERS.map((traffic): Case => {
    const [name, least] = [`${traffic.name}, all checks`, traffic.least - LESS_WITH_ALL];
    return { ...traffic, name, least, place: "isolates", limits: everything, bodyOf: checked };
  });
  return [
    ...CUSTOMERS.map((traffic) => ({ ...traffic, ...isolates })),
    ...users,
    ...all,
    { ...HUNDRED, ...isolates, name: "100 customers, front Worker", place: "front" },
    { ...HUNDRED, ...isolates, name: "100 customers, embedded gates", place: "embedded" },
    { ...THOUSAND, ...isolates, name: "1,000 customers, embedded gates", place: "embedded" },
  ];
}

async function measured(one: Case): Promise<BenchRow[]> {
  return withServer(one.place === "front", async (server) => {
    const org = await newOrg(server);
    await one.limits(server, org);
    const asks = asksOf(server, org, one);
    const callers = asks.map((ask) => ({ ask, next: subjectsOf(one.spread, one.subjects) }));
    const { perSecond } = one;
    const driveAll = async (seconds: number, mostSeconds = seconds): Promise<Counts[]> =>
      Promise.all(callers.map(({ ask, next }) => drive(ask, next, { perSecond, seconds, mostSeconds })));
    await driveAll(WARM_UP_SECONDS, MOST_WARM_UP_SECONDS);
    await writtenBy(server, org);
    const seconds = one.spread === "zipf" ? ZIPF_SECONDS : SECONDS;
    const counts = await driveAll(seconds);
    const written = await writtenBy(server, org);
    return rowsOf({ ...one, seconds }, counts, written);
  });
}

function rowsOf(
  one: Case & { readonly seconds: number },
  counts: readonly Counts[],
  { rows, reports }: Written,
): BenchRow[] {
  const sum = (of: (count: Counts) => number) => counts.reduce((total, count) => total + of(count), 0);
  const [sent, atEdge, failed] = [sum(({ sent: n }) => n), sum(({ atEdge: n }) => n), sum((c) => c.failed)];
  const total = Object.values(rows).reduce((all, count) => all + count, 0);
  const tables = Object.entries(rows).map(([table, count]) => `${table} ${(count / sent).toFixed(3)}`);
  const rate = `${Math.round(sent / one.seconds / counts.length)} calls a second each, ${failed} failed`;
  return [
    {
      name: one.name,
      perSecond: Math.round(sent / one.seconds),
      cpuMicros: null,
      ratio: Number((atEdge / sent).toFixed(4)),
      of: "decided in the isolate, at least",
      target: Number(one.least.toFixed(2)),
      note: rate,
    },
    {
      name: `${one.name}: rows`,
      perSecond: total,
      cpuMicros: null,
      ratio: Number((total / sent).toFixed(3)),
      of: "rows for each decision, at most",
      target: MOST_ROWS,
      note: `${reports} reports; ${tables.join(", ")}`,
    },
  ];
}

function asksOf(server: Server, org: Org, { place, bodyOf }: Case): SendDecision[] {
  if (place === "front") return [askOver(server.frontUrl ?? "", org.key, bodyOf)];
  if (place === "isolates") return server.urls.map((url) => askOver(url, org.key, bodyOf));
  return Array.from({ length: ISOLATES }, (_, at) => {
    const gate = createGate({ url: server.urls[at % server.urls.length], key: org.key });
    return async (subject) => {
      const before = gate.stats.allowedHere;
      try {
        await gate.decide(bodyOf(subject) as Parameters<typeof gate.decide>[0]);
      } catch {
        return null;
      }
      return gate.stats.allowedHere > before;
    };
  });
}

/** What the object uses when isolates only renew what they have. */
async function renewals(): Promise<BenchRow> {
  return withServer(false, async (server) => {
    const org = await newOrg(server);
    await customerLimits(server, org);
    const pid = Number(readFileSync(join(server.folder.path, "workerd.pid"), "utf8"));
    const path = `${server.urls[0]}/bench/renewals?org=${org.id}&isolates=${ISOLATES}&customers=1000`;
    await reach(`${path}&rounds=0`);
    const before = cpuSeconds(pid);
    const rounds = 100;
    await reach(`${path}&rounds=${rounds}`);
    // Each isolate renews four times a second.
    const share = (cpuSeconds(pid) - before) / (rounds / 4);
    return {
      name: "renewals of 4 × 1,000 customers",
      perSecond: rounds * ISOLATES,
      cpuMicros: Math.round((share * 1e6) / (4 * ISOLATES)),
      ratio: Number(share.toFixed(4)),
      of: "of a core, at most",
      target: MOST_RENEWAL_CPU,
      note: "with what sends them",
    };
  });
}

async function withServer<T>(isFronted: boolean, use: (server: Server) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const entry = "scripts/bench/edge-worker.ts";
  const server = await startServer({ port: 0, dataDir: folder, isolates: ISOLATES, isFronted, entry });
  try {
    return await use(server);
  } finally {
    await server.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function writtenBy(server: Server, { id }: Org): Promise<Written> {
  return (await (await reach(`${server.urls[0]}/bench/written?org=${id}`)).json()) as Written;
}

async function newOrg(server: Server): Promise<Org> {
  const made = await caller(server, operator(server))("POST", "/v1/admin/orgs", { name: "edge" });
  const { org, owner_key: key } = made as { org: { id: string }; owner_key: string };
  return { id: org.id, key };
}

async function customerLimits(server: Server, { id, key }: Org): Promise<void> {
  const limit = { customer_id: "*", limit_usd: FAR, period: "month" };
  await caller(server, key)("POST", `/v1/orgs/${id}/customer-limits`, limit);
}

function groupedBudget(unit: "usd" | "tokens" | "runs") {
  return async (server: Server, { id, key }: Org): Promise<void> => {
    const budget = { match: {}, group_by: ["user_id"], unit, limit: FAR, period: "month" };
    await caller(server, key)("POST", `/v1/orgs/${id}/budgets`, budget);
  };
}

/** A limit for each customer, a plan, two budgets that match calls, a rate limit in tokens for each customer, and all checks. */
async function everything(server: Server, org: Org): Promise<void> {
  const { id, key } = org;
  const admin = operator(server);
  await customerLimits(server, org);
  for (const match of [{ model: "acme/*" }, { model: "acme/m1" }]) {
    const budget = { match, limit: FAR, period: "month" };
    await caller(server, key)("POST", `/v1/orgs/${id}/budgets`, budget);
  }
  const plan = { runs_limit: 1_000_000_000, tokens_limit: 1_000_000_000_000, overage_policy: "block" };
  await caller(server, admin)("PUT", "/v1/admin/plans/edge", plan);
  await caller(server, admin)("PATCH", `/v1/admin/orgs/${id}`, { plan: "edge" });
  const match = { route: "POST /v1/edge/decision", customer_id: "*" };
  const policy = { name: "each", match, unit: "tokens", limit: 1e12, window_seconds: 60, kind: "rate" };
  const rates = { read_rpm: null, policies: [policy] };
  await caller(server, admin)("PUT", `/v1/admin/orgs/${id}/rate-limits`, rates);
}

function operator(server: Server): string {
  return server.settings["SVC_OPERATOR_KEY"] ?? "";
}

function caller(server: Server, key: string) {
  return async (method: string, path: string, body: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await fetch(`${server.urls[0]}${path}`, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
}
