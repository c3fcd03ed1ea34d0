import { MAX_BATCH } from "../../src/contract/runs.ts";
import { Complaint } from "../complaint.ts";
import { type Call, seedCall, type Seeder } from "../seeding/call.ts";
import {
  agentRuns,
  type Asks,
  CHAIN_BUDGET,
  LAST,
  OVER_AGREED,
  OVER_BUDGET,
  OVER_SECOND,
  refusedAt,
  RULES,
  stoppedAgent,
  TO_APPROVE,
} from "./asks.ts";
import { BATCH, CACHE_READ, CUSTOMERS, type KeyName, KEYS, MODELS } from "./company.ts";
import type { Journal } from "./journal.ts";
import {
  agreedInTheEnd,
  agreedLimits,
  billedBudgets,
  creditPacks,
  dailyCap,
  firstBudgets,
} from "./limits.ts";
import { type MadeRun, UNUSUAL } from "./runs.ts";
import type { Deed } from "./timeline.ts";

export interface Seeding {
  readonly operator: Seeder;
  readonly journal: Journal;
  readonly runs: readonly MadeRun[];
}

type Do = (seeding: Seeding, atMs: number) => Promise<unknown>;

const PLAN = {
  path: "/v1/admin/plans/growth",
  body: { runs_limit: 12_000, tokens_limit: null, overage_policy: "allow" },
};
const TRIAL = "Search pilot";
const EVALUATED = [
  ["gpt-4o-mini", 0.89],
  ["gpt-4o", 0.95],
  ["claude-sonnet-4-5", 0.97],
] as const;
/** As long as a reservation can be held. */
const HOLD_SECONDS = 86_400;

const ownerOf = ({ operator, journal }: Seeding): Seeder => ({
  url: operator.url,
  key: journal.begun.owner_key ?? "",
});
const serviceOf = ({ operator, journal }: Seeding, name: KeyName): Seeder => ({
  url: operator.url,
  key: journal.begun.keys[name] ?? "",
});
const pathOf = ({ journal }: Seeding): string => `/v1/orgs/${journal.begun.org_id}`;

/** A call of the owner, to a path of the org. */
function own<T>(seeding: Seeding, call: Call): Promise<T> {
  return seedCall<T>(ownerOf(seeding), { ...call, path: pathOf(seeding) + call.path });
}

/** Each of these at that path. */
function createAll(seeding: Seeding, path: string, bodies: readonly object[]): Promise<unknown> {
  return Promise.all(
    bodies.map((body, at) => own(seeding, { method: "POST", path, body, name: String(at) })),
  );
}

/** The first of a list that is so. */
async function found<T extends { id: string }>(
  seeding: Seeding,
  path: string,
  which: (one: T) => boolean,
): Promise<T> {
  const { data } = await own<{ data: readonly T[] }>(seeding, { method: "GET", path });
  const one = data.find(which);
  if (one === undefined) throw new Complaint(`Northwind has not what it should have at ${path}`);
  return one;
}

async function mint(seeding: Seeding, name: string): Promise<string> {
  const call: Call = { method: "POST", path: "/keys", body: { name, role: "developer" }, name };
  return (await own<{ key: string }>(seeding, call)).key;
}

/** The org, its keys, and what exists before the first run: prices, rules and limits. */
async function open(seeding: Seeding): Promise<void> {
  const { operator, journal } = seeding;
  await seedCall(operator, { method: "PUT", ...PLAN });
  const { org, owner_key } = await seedCall<{ org: { id: string }; owner_key: string }>(operator, {
    method: "POST",
    path: "/v1/admin/orgs",
    body: { name: "Northwind", environment: "test", plan: "growth" },
    name: "Northwind",
  });
  journal.note({ org_id: org.id, owner_key });
  const minted = await Promise.all(KEYS.map(async (name) => [name, await mint(seeding, name)] as const));
  journal.note({ keys: Object.fromEntries(minted) });
  await Promise.all([setUp(seeding), limit(seeding)]);
}

async function setUp(seeding: Seeding): Promise<void> {
  const put = (path: string, body: object) => own(seeding, { method: "PUT", path, body });
  const prices = Object.entries(MODELS).map(([model, { provider, input, output }]) =>
    put(`/models/${encodeURIComponent(model)}`, {
      provider,
      input_usd_per_mtok: String(input),
      output_usd_per_mtok: String(output),
      cache_read_usd_per_mtok: String(Number((input * CACHE_READ).toFixed(6))),
      variants: { batch: String(BATCH) },
    }),
  );
  const customers = CUSTOMERS.map(({ id, name, revenue }) => put(`/customers/${id}`, { name, revenue }));
  const detectors = [
    { id: "credit_card", kind: "builtin", action: "block" },
    { id: "email", kind: "builtin", action: "shadow" },
  ];
  await Promise.all([
    ...prices,
    ...customers,
    createAll(seeding, "/policy-rules", RULES),
    put("/content-safety", { detectors }),
  ]);
}

async function limit(seeding: Seeding): Promise<void> {
  const { journal, runs } = seeding;
  const runsOutMs = journal.moments.find(({ deed }) => deed === "run-out")?.atMs ?? 0;
  await Promise.all([
    createAll(seeding, "/customer-limits", agreedLimits(runs, runsOutMs)),
    createAll(seeding, "/budgets", firstBudgets(runs)),
    own(seeding, { method: "PUT", path: "/chain-budget", body: CHAIN_BUDGET }),
    own(seeding, { method: "PUT", path: "/spend-cap", body: dailyCap(runs) }),
  ]);
}

/** Each service reports its runs since the last time. */
async function report(seeding: Seeding, atMs: number): Promise<void> {
  const reports = seeding.journal.moments.filter(({ deed }) => deed === "report");
  const since = reports.findLast((moment) => moment.atMs < atMs)?.atMs ?? 0;
  const ended = seeding.runs.filter(({ body }) => {
    const endedMs = Date.parse(body.ended_at);
    return endedMs > since && endedMs <= atMs;
  });
  await Promise.all(
    KEYS.map(async (name) => {
      const bodies = ended.filter(({ key }) => key === name).map(({ body }) => body);
      for (let from = 0; from < bodies.length; from += MAX_BATCH) {
        await record(seeding, name, bodies.slice(from, from + MAX_BATCH));
      }
    }),
  );
}

async function record(seeding: Seeding, name: KeyName, runs: readonly object[]): Promise<void> {
  const [first] = runs as readonly { id: string }[];
  const call: Call = { method: "POST", path: "/v1/runs/bulk", body: { runs }, name: first?.id ?? "" };
  const { rejected } = await seedCall<{ rejected: number }>(serviceOf(seeding, name), call);
  if (rejected > 0) throw new Complaint(`${rejected} runs of Northwind were rejected`);
}

/** A request id makes each reservation once. */
async function ask(seeder: Seeder, { name, asks }: Asks, atMs: number): Promise<void> {
  const named = asks.map((one, at) => ({
    ...one,
    request_id: `nw-${name}-${atMs}-${at}`,
    hold_seconds: HOLD_SECONDS,
  }));
  const call: Call = { method: "POST", path: "/v1/edge/decisions", body: { asks: named } };
  await seedCall(seeder, { ...call, name: `${name} ${atMs}` });
}

const askAs = (seeding: Seeding, asks: Asks, atMs: number) => ask(serviceOf(seeding, asks.key), asks, atMs);

function refuse(seeding: Seeding, atMs: number): Promise<void> {
  const moments = seeding.journal.moments.filter((one) => one.deed === "refuse");
  const nth = moments.findIndex((one) => one.atMs === atMs);
  return askAs(seeding, refusedAt(nth), atMs);
}

/** Results of evaluations, by which the routing policy chooses. Each time they are a little better. */
async function evaluate(seeding: Seeding, atMs: number): Promise<void> {
  const run_at = new Date(atMs).toISOString();
  const later = seeding.journal.moments.filter((one) => one.deed === "evaluate" && one.atMs > atMs);
  await Promise.all(
    EVALUATED.map(([model, last]) => {
      const score = Number((last - 0.01 * later.length).toFixed(2));
      const body = { suite: "answers", model, score, samples: 900, run_at };
      return own(seeding, { method: "POST", path: "/evals", body, name: model });
    }),
  );
  const eval_gate = { suite: "answers", min_score: 0.9, min_samples: 200, max_age_days: 30 };
  const body = { candidates: EVALUATED.map(([model]) => model), eval_gate, prefer: "cheapest" };
  await own(seeding, { method: "PUT", path: "/routing-policy", body });
}

async function beginTrial(seeding: Seeding, atMs: number): Promise<void> {
  const key = await mint(seeding, TRIAL);
  await ask({ url: seeding.operator.url, key }, { ...refusedAt(0), name: "trial" }, atMs);
}

async function endTrial(seeding: Seeding): Promise<void> {
  const { id } = await found<{ id: string; name: string }>(seeding, "/keys", ({ name }) => name === TRIAL);
  await own(seeding, { method: "DELETE", path: `/keys/${id}` });
}

async function rotateKey(seeding: Seeding): Promise<void> {
  const rotated: KeyName = "Sales assistant";
  const { id } = await found<{ id: string; name: string }>(seeding, "/keys", ({ name }) => name === rotated);
  const { key } = await own<{ key: string }>(seeding, {
    method: "POST",
    path: `/keys/${id}/rotate`,
    body: {},
  });
  const { journal } = seeding;
  journal.note({ keys: { ...journal.begun.keys, [rotated]: key } });
}

async function stopAgent(seeding: Seeding, atMs: number): Promise<void> {
  await record(seeding, "Data platform", agentRuns(atMs));
  await askAs(seeding, stoppedAgent(atMs), atMs);
}

async function agreeOnMore(seeding: Seeding): Promise<void> {
  const { id } = await found<{ id: string; customer_id: string }>(
    seeding,
    "/customer-limits",
    ({ customer_id }) => customer_id === UNUSUAL.customer,
  );
  const body = { limit_usd: agreedInTheEnd(seeding.runs) };
  await own(seeding, { method: "PATCH", path: `/customer-limits/${id}`, body });
}

/** The budgets of the month, and the credits that customers buy for it. */
async function planMonth(seeding: Seeding): Promise<void> {
  const { runs, journal } = seeding;
  const planned = new Map(billedBudgets(runs).map(({ name, limit_usd }) => [name, limit_usd]));
  const { data } = await own<{ data: readonly { id: string; name: string }[] }>(seeding, {
    method: "GET",
    path: "/budgets",
  });
  const changes = data.map(async ({ id, name }) => {
    const limit_usd = planned.get(name);
    if (limit_usd === undefined) return;
    await own(seeding, { method: "PATCH", path: `/budgets/${id}`, body: { limit_usd } });
  });
  await Promise.all([
    ...changes,
    createAll(seeding, "/credit-packs", creditPacks(runs, journal.begun.nowMs)),
  ]);
}

/** The run that waits for an approval, the verdict about it, and its call. */
function toApprove({ journal }: Seeding, atMs: number) {
  const asked = journal.moments.filter((moment) => moment.deed === "ask-approval" && moment.atMs <= atMs);
  const { atMs: startedMs = atMs } = asked.at(-1) ?? {};
  const { verdict, ...attributes } = TO_APPROVE[asked.length - 1] ?? TO_APPROVE[0];
  const body = {
    id: `nw-approval-${asked.length}`,
    started_at: new Date(startedMs).toISOString(),
    model: "o3-pro",
    provider: "openai",
    usage: { input_tokens: 80_000, output_tokens: 6_000 },
    ...attributes,
  };
  const run: Call = { method: "POST", path: "/v1/runs", body, name: body.id, refusals: [403] };
  return { verdict, run };
}

async function decideApproval(seeding: Seeding, atMs: number): Promise<void> {
  const { verdict, run } = toApprove(seeding, atMs);
  const path = "/approvals?status=pending";
  const { data } = await own<{ data: readonly { id: string }[] }>(seeding, { method: "GET", path });
  // There is at most one, and none if this was interrupted before.
  for (const { id } of data) {
    await own(seeding, { method: "POST", path: `/approvals/${id}/${verdict}`, body: {} });
  }
  if (verdict === "approve") await seedCall(ownerOf(seeding), run);
}

function openToSupport(seeding: Seeding): Promise<unknown> {
  const body = {
    scope: "billing_read",
    reason: "Question about last month's invoice.",
    expires_in_seconds: 604_800,
  };
  return own(seeding, { method: "POST", path: "/support-grants", body });
}

/** Neither receiver exists, so what is sent to them fails. */
function subscribe(seeding: Seeding): Promise<unknown> {
  return createAll(seeding, "/webhooks", [
    { url: "https://pager.northwind.invalid/sluice", events: ["key.*", "org.*"], description: "Pager" },
    {
      url: "https://old-erp.northwind.invalid/hook",
      events: ["budget.*", "policy.*"],
      description: "Old ERP",
    },
  ]);
}

/** What is refused and reserved now. One service still calls a deprecated route. */
async function closeIn(seeding: Seeding, atMs: number): Promise<void> {
  for (const asks of LAST) await askAs(seeding, asks, atMs);
  const path = "/v1/forecast?deployment_id=production&teams=4";
  await seedCall(serviceOf(seeding, "Data platform"), { method: "GET", path });
}

export const DEEDS: Readonly<Record<Deed, Do>> = {
  open,
  report,
  refuse,
  evaluate,
  "begin-trial": beginTrial,
  "end-trial": endTrial,
  "rotate-key": rotateKey,
  "stop-agent": stopAgent,
  "run-out": (seeding, atMs) => askAs(seeding, OVER_AGREED, atMs),
  "exceed-budget": (seeding, atMs) => askAs(seeding, OVER_BUDGET, atMs),
  "exceed-agreed": (seeding, atMs) => askAs(seeding, OVER_SECOND, atMs),
  "agree-on-more": agreeOnMore,
  "plan-month": planMonth,
  "ask-approval": (seeding, atMs) => seedCall(ownerOf(seeding), toApprove(seeding, atMs).run),
  "decide-approval": decideApproval,
  "open-to-support": openToSupport,
  subscribe,
  "close-in": closeIn,
};
