import { MAX_BATCH } from "../../src/contract/runs.ts";
import { Complaint } from "../complaint.ts";
import { type Call, seedCall, type Seeder } from "../seeding/call.ts";
import { agentRuns, asks, CHAIN_BUDGET, RULES, TO_APPROVE } from "./asks.ts";
import { BATCH, CACHE_READ, CUSTOMERS, type KeyName, KEYS, MODELS } from "./company.ts";
import { agreedLimits, billedBudgets, creditPacks, dailyCap } from "./limits.ts";
import { DAY_MS, type MadeRun, northwindRuns, type Stage } from "./runs.ts";

export interface Northwind {
  readonly org_id: string;
  readonly owner_key: string;
}

const PLAN = {
  path: "/v1/admin/plans/growth",
  body: { runs_limit: 12_000, tokens_limit: null, overage_policy: "allow" },
};
const EVALUATED = [
  ["gpt-4o-mini", 0.89],
  ["gpt-4o", 0.95],
  ["claude-sonnet-4-5", 0.97],
] as const;

/**
 * An org that looks as if it had been used for two months, made through the public API. All depends on the time that the
 * org was created, so a seeding that was interrupted continues where it was.
 */
export async function seedNorthwind(operator: Seeder): Promise<Northwind> {
  await seedCall(operator, { method: "PUT", ...PLAN });
  const { org, owner_key } = await seedCall<{ org: { id: string; created_at: string }; owner_key: string }>(
    operator,
    {
      method: "POST",
      path: "/v1/admin/orgs",
      body: { name: "Northwind", environment: "test", plan: "growth" },
      name: "Northwind",
    },
  );
  const owner = { url: operator.url, key: owner_key };
  const nowMs = Date.parse(org.created_at);
  const runs = northwindRuns(nowMs);
  const path = `/v1/orgs/${org.id}`;
  const keys = await prepare(owner, path, runs);
  await record(owner.url, keys, ofStage(runs, "earlier"));
  await createAll(owner, `${path}/budgets`, billedBudgets(runs));
  await createAll(owner, `${path}/credit-packs`, creditPacks(runs, nowMs));
  await record(owner.url, keys, ofStage(runs, "billed"));
  await seedCall(owner, { method: "PUT", path: `${path}/spend-cap`, body: dailyCap(runs) });
  await record(owner.url, keys, ofStage(runs, "today"));
  await govern(owner, path);
  await Promise.all([route(owner, path, nowMs), askFor(owner, path, nowMs), refuse(owner.url, keys, nowMs)]);
  return { org_id: org.id, owner_key };
}

function ofStage(runs: readonly MadeRun[], stage: Stage): MadeRun[] {
  return runs.filter((run) => run.stage === stage);
}

type Keys = ReadonlyMap<KeyName, string>;

/** What exists before the first run: keys, prices and agreed limits. */
async function prepare(owner: Seeder, path: string, runs: readonly MadeRun[]): Promise<Keys> {
  const minted = KEYS.map(async (name) => {
    const body = { name, role: "developer" };
    const { key } = await seedCall<{ key: string }>(owner, {
      method: "POST",
      path: `${path}/keys`,
      body,
      name,
    });
    return [name, key] as const;
  });
  const prices = Object.entries(MODELS).map(([model, { provider, input, output }]) =>
    seedCall(owner, {
      method: "PUT",
      path: `${path}/models/${encodeURIComponent(model)}`,
      body: {
        provider,
        input_usd_per_mtok: String(input),
        output_usd_per_mtok: String(output),
        cache_read_usd_per_mtok: String(Number((input * CACHE_READ).toFixed(6))),
        variants: { batch: String(BATCH) },
      },
    }),
  );
  const customers = CUSTOMERS.map(({ id, name, revenue }) =>
    seedCall(owner, { method: "PUT", path: `${path}/customers/${id}`, body: { name, revenue } }),
  );
  const chain = seedCall(owner, { method: "PUT", path: `${path}/chain-budget`, body: CHAIN_BUDGET });
  const agreed = createAll(owner, `${path}/customer-limits`, agreedLimits(runs));
  await Promise.all([...prices, ...customers, chain, agreed]);
  return new Map(await Promise.all(minted));
}

async function createAll(owner: Seeder, path: string, bodies: readonly object[]): Promise<void> {
  await Promise.all(
    bodies.map((body, at) => seedCall(owner, { method: "POST", path, body, name: String(at) })),
  );
}

/** Each service reports its own runs. */
async function record(url: string, keys: Keys, runs: readonly MadeRun[]): Promise<void> {
  for (const [name, key] of keys) {
    const own = runs.filter((run) => run.key === name);
    for (let from = 0; from < own.length; from += MAX_BATCH) {
      const bodies = own.slice(from, from + MAX_BATCH).map(({ body }) => body);
      const call: Call = {
        method: "POST",
        path: "/v1/runs/bulk",
        body: { runs: bodies },
        name: bodies[0]?.id ?? "",
      };
      const { rejected } = await seedCall<{ rejected: number }>({ url, key }, call);
      if (rejected > 0) throw new Complaint(`${rejected} runs of Northwind were rejected`);
    }
  }
}

/** Rules, detectors and webhooks. The second receiver does not exist, so what is sent to it fails. */
async function govern(owner: Seeder, path: string): Promise<void> {
  const hooks = [
    { url: "https://pager.northwind.invalid/sluice", events: ["key.*", "org.*"], description: "Pager" },
    {
      url: "https://old-erp.northwind.invalid/hook",
      events: ["budget.*", "policy.*"],
      description: "Old ERP",
    },
  ];
  const detectors = [
    { id: "credit_card", kind: "builtin", action: "block" },
    { id: "email", kind: "builtin", action: "shadow" },
  ];
  await Promise.all([
    createAll(owner, `${path}/webhooks`, hooks),
    createAll(owner, `${path}/policy-rules`, RULES),
    seedCall(owner, { method: "PUT", path: `${path}/content-safety`, body: { detectors } }),
  ]);
}

/** Results of evaluations, and a policy that chooses by them. */
async function route(owner: Seeder, path: string, nowMs: number): Promise<void> {
  const run_at = new Date(nowMs - DAY_MS).toISOString();
  await Promise.all(
    EVALUATED.map(([model, score]) => {
      const body = { suite: "answers", model, score, samples: 900, run_at };
      return seedCall(owner, { method: "POST", path: `${path}/evals`, body, name: model });
    }),
  );
  const eval_gate = { suite: "answers", min_score: 0.9, min_samples: 200, max_age_days: 30 };
  const candidates = EVALUATED.map(([model]) => model);
  const body = { candidates, eval_gate, prefer: "cheapest" };
  await seedCall(owner, { method: "PUT", path: `${path}/routing-policy`, body });
}

/** Runs that need approval, and a support grant. */
async function askFor(owner: Seeder, path: string, nowMs: number): Promise<void> {
  const started_at = new Date(nowMs).toISOString();
  for (const [at, { verdict, ...attributes }] of TO_APPROVE.entries()) {
    const usage = { input_tokens: 80_000, output_tokens: 6_000 };
    const body = {
      id: `nw-approval-${at}`,
      started_at,
      model: "o3-pro",
      provider: "openai",
      usage,
      ...attributes,
    };
    const run = { method: "POST", path: "/v1/runs", body, name: body.id, refusals: [403] } as const;
    const refused = await seedCall<{ error?: { details: { approval_id: string } } }>(owner, run);
    const approval = refused.error?.details.approval_id;
    if (verdict === null || approval === undefined) continue;
    const decide: Call = { method: "POST", path: `${path}/approvals/${approval}/${verdict}`, body: {} };
    await seedCall(owner, { ...decide, refusals: [409] });
    if (verdict === "approve") await seedCall(owner, run);
  }
  const grant = {
    scope: "billing_read",
    reason: "Question about last month's invoice.",
    expires_in_seconds: 604_800,
  };
  await seedCall(owner, { method: "POST", path: `${path}/support-grants`, body: grant });
}

/** Refusals and open reservations of now. One service still calls a deprecated route. */
async function refuse(url: string, keys: Keys, nowMs: number): Promise<void> {
  const agent = {
    method: "POST",
    path: "/v1/runs/bulk",
    body: { runs: agentRuns(nowMs) },
    name: "agent",
  } as const;
  await seedCall({ url, key: keys.get("Data platform") ?? "" }, agent);
  const key = keys.get("Support bot") ?? "";
  await seedCall({ url, key }, { method: "POST", path: "/v1/edge/decisions", body: { asks: asks() } });
  const forecast = "/v1/forecast?deployment_id=production&teams=4";
  await seedCall({ url, key: keys.get("Data platform") ?? "" }, { method: "GET", path: forecast });
}
