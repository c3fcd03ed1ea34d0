import { expect } from "vitest";
import { formatUsd } from "../../../src/domain/price/money.ts";
import { HOUR_MS } from "./model-limits.ts";
import type { Model } from "./model.ts";
import type { Limit } from "./model-rows.ts";
import type { Step, StepOf } from "./steps.ts";
import type { World } from "./world.ts";

const INDIA_MS = 5.5 * HOUR_MS;
type LimitStep = Exclude<
  Step,
  StepOf<
    | "run"
    | "bulk"
    | "decide"
    | "sliced"
    | "release"
    | "adjust"
    | "askAgain"
    | "unreported"
    | "advance"
    | "pack"
    | "voidPack"
  >
>;

interface Play<K extends LimitStep["do"]> {
  readonly world: World;
  readonly model: Model;
  readonly step: StepOf<K>;
  /** The fields that most limits share. */
  readonly base: Omit<Limit, "id" | "kind">;
}

/** Sets, changes and deletes limits, in the real object and in the model at once. */
export async function changeLimits(world: World, model: Model, step: LimitStep): Promise<void> {
  const base: Omit<Limit, "id" | "kind"> = {
    limit: 0n,
    period: "total",
    zoneMs: 0,
    mode: "enforce",
    scopeKind: "org",
    scopeId: "",
    born: model.steps,
  };
  if (step.do === "budget") await createBudget({ world, model, step, base });
  else if (step.do === "matchBudget") await createMatchBudget({ world, model, step, base });
  else if (step.do === "customerLimit") await createCustomerLimit({ world, model, step, base });
  else if (step.do === "cap") await setCap({ world, model, step, base });
  else if (step.do === "prepay") await prepay({ world, model, step, base });
  else if (step.do === "topUp") await topUp({ world, model, step, base });
  else if (step.do === "chain") await setChainBudget({ world, model, step, base });
  else if (step.do === "plan") await setPlan({ world, model, step, base });
  else await changeOrDelete(world, model, step);
}

async function createBudget({ world, model, step, base }: Play<"budget">): Promise<void> {
  const { workflow, limit, period } = step;
  const scopeKind = workflow === undefined ? "org" : "workflow";
  const mode = step.shadow ? "shadow" : "enforce";
  const input = {
    scope_kind: scopeKind,
    ...(workflow === undefined ? {} : { scope_id: workflow }),
    limit_usd: formatUsd(limit),
    period,
    mode,
    unit: "usd",
    alert_thresholds: [],
  };
  const { body } = await world.call("createBudget", input, step.fault);
  const scopeId = workflow ?? "";
  model.limits.push({ ...base, id: body.id, kind: "budget", scopeKind, scopeId, limit, period, mode });
}

const FIELDS = {
  workflow: "workflow_id",
  customer: "customer_id",
  user: "user_id",
  team: "tag:team",
} as const;

async function createMatchBudget({ world, model, step, base }: Play<"matchBudget">): Promise<void> {
  const { match, groupBy, unit, limit, period, india } = step;
  const last = period === "month" ? 28 : period === "week" ? 7 : 0;
  const anchorDay = last === 0 ? undefined : ((step.anchorDay - 1) % last) + 1;
  const { team, ...named } = match;
  const fields = Object.entries(named).map(([name, values]) => [FIELDS[name as keyof typeof named], values]);
  const mode = step.shadow ? "shadow" : "enforce";
  const input = {
    match: { ...Object.fromEntries(fields), ...(team === undefined ? {} : { tags: { team } }) },
    ...(groupBy.length === 0 ? {} : { group_by: groupBy.map((name) => FIELDS[name]) }),
    unit,
    limit: unit === "usd" ? formatUsd(limit) : Number(limit),
    period,
    ...(india ? { timezone: "Asia/Kolkata" } : {}),
    ...(anchorDay === undefined ? {} : { anchor_day: anchorDay }),
    mode,
    alert_thresholds: [],
  };
  const { status, body } = await world.call("createBudget", input, step.fault);
  expect(status).toBe(201);
  model.limits.push({
    ...base,
    id: body.id,
    kind: "budget",
    scopeKind: "match",
    match,
    ...(groupBy.length === 0 ? {} : { groupBy }),
    unit,
    limit,
    period,
    zoneMs: india ? INDIA_MS : 0,
    anchorDay,
    mode,
  });
}

async function createCustomerLimit({ world, model, step, base }: Play<"customerLimit">): Promise<void> {
  const { customer, limit, period } = step;
  const input = { customer_id: customer, limit_usd: formatUsd(limit), period };
  const taken = model.limits.some(
    (one) => one.kind === "customer_limit" && one.scopeId === customer && one.period === period,
  );
  const answer = await world.call("createCustomerLimit", input, step.fault);
  expect(answer.status).toBe(taken ? 409 : 201);
  if (taken) return;
  const scope = { scopeKind: "customer" as const, scopeId: customer };
  model.limits.push({ ...base, ...scope, id: answer.body.id, kind: "customer_limit", limit, period });
}

async function setCap({ world, model, step, base }: Play<"cap">): Promise<void> {
  const input = { cap_usd: formatUsd(step.limit), timezone: step.india ? "Asia/Kolkata" : "UTC" };
  await world.call("setSpendCap", input, step.fault);
  const zoneMs = step.india ? INDIA_MS : 0;
  put(model, { ...base, id: "spend_cap", kind: "spend_cap", limit: step.limit, period: "day", zoneMs });
}

async function prepay({ world, model, step, base }: Play<"prepay">): Promise<void> {
  await world.call("setQuota", {}, step.fault);
  const there = model.limits.find((one) => one.id === "quota");
  put(model, { ...base, id: "quota", kind: "quota", limit: there?.limit ?? 0n });
}

async function topUp({ world, model, step }: Play<"topUp">): Promise<void> {
  const there = model.limits.find((one) => one.id === "quota");
  const answer = await world.call("topUpQuota", { amount_usd: formatUsd(step.amount) }, step.fault);
  expect(answer.status).toBe(there === undefined ? 404 : 201);
  if (there !== undefined) there.limit = (there.limit ?? 0n) + step.amount;
}

async function setChainBudget({ world, model, step, base }: Play<"chain">): Promise<void> {
  const input = { max_cost_usd: formatUsd(step.cost), max_depth: step.depth, max_tokens: step.tokens };
  await world.call("setChainBudget", input, step.fault);
  const chain = { ...base, scopeKind: "chain" as const, scopeId: "*" };
  put(model, { ...chain, id: "chain_cost", kind: "chain_cost", limit: step.cost });
  put(model, { ...chain, id: "chain_depth", kind: "chain_depth", limit: BigInt(step.depth) });
  put(model, { ...chain, id: "chain_tokens", kind: "chain_tokens", limit: BigInt(step.tokens) });
}

async function setPlan({ world, model, step, base }: Play<"plan">): Promise<void> {
  const overage_policy = step.block ? "block" : "allow";
  const terms = { plan: "unlisted", runs_limit: step.runs, tokens_limit: step.tokens, overage_policy };
  await world.call("setPlanTerms", terms, step.fault);
  const plan = {
    ...base,
    period: "month" as const,
    mode: step.block ? ("enforce" as const) : ("count" as const),
  };
  put(model, { ...plan, id: "plan_runs", kind: "plan_runs", limit: BigInt(step.runs) });
  put(model, { ...plan, id: "plan_tokens", kind: "plan_tokens", limit: BigInt(step.tokens) });
}

async function changeOrDelete(
  world: World,
  model: Model,
  step: StepOf<"changeLimit" | "deleteLimit">,
): Promise<void> {
  const deletable = model.limits.filter((one) => !/^plan|^chain/.test(one.id));
  const limit = deletable[step.pick % Math.max(1, deletable.length)];
  if (limit === undefined) return;
  const noun = { budget: "Budget", customer_limit: "CustomerLimit", spend_cap: "SpendCap", quota: "Quota" }[
    limit.kind as "budget"
  ];
  if (step.do === "deleteLimit") {
    const answer = await world.call(`delete${noun}`, { id: limit.id }, step.fault);
    expect(answer.status).toBe(204);
    model.limits = model.limits.filter((one) => one !== limit);
    for (const one of [...model.runs, ...model.adjustments]) {
      one.charged = one.charged.filter((id) => id !== limit.id);
    }
    for (const hold of model.holds) hold.held = hold.held.filter((id) => id !== limit.id);
    return;
  }
  if (limit.kind !== "budget" && limit.kind !== "customer_limit") return;
  const period = step.period ?? limit.period;
  const taken = model.limits.some(
    (one) =>
      one !== limit &&
      one.kind === "customer_limit" &&
      limit.kind === one.kind &&
      one.scopeId === limit.scopeId &&
      one.period === period,
  );
  const answer = await world.call(
    `change${noun}`,
    {
      id: limit.id,
      ...((limit.unit ?? "usd") === "usd"
        ? { limit_usd: formatUsd(step.limit) }
        : { limit: Number(counted(step.limit)) }),
      period: step.period,
      ...(limit.anchorDay !== undefined && step.period !== undefined ? { anchor_day: null } : {}),
    },
    step.fault,
  );
  expect(answer.status).toBe(taken ? 409 : 200);
  if (taken) return;
  limit.limit = (limit.unit ?? "usd") === "usd" ? step.limit : counted(step.limit);
  limit.period = period;
  if (step.period !== undefined) limit.anchorDay = undefined;
}

/** No limit is so many tokens or runs as dollars can be nano-dollars. */
function counted(limit: bigint): bigint {
  return limit > 1000n ? 1000n : limit;
}

function put(model: Model, limit: Limit): void {
  const at = model.limits.findIndex((one) => one.id === limit.id);
  if (at < 0) model.limits.push(limit);
  else model.limits[at] = { ...limit, born: model.limits[at]?.born ?? limit.born };
}
