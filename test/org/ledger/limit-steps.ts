import { expect } from "vitest";
import { formatUsd } from "../../../src/domain/money.ts";
import { HOUR_MS, type Limit, type Model } from "./model.ts";
import type { Step, StepOf } from "./steps.ts";
import type { World } from "./world.ts";

const INDIA_MS = 5.5 * HOUR_MS;
type LimitStep = Exclude<
  Step,
  StepOf<
    | "run"
    | "bulk"
    | "decide"
    | "release"
    | "adjust"
    | "askAgain"
    | "unreported"
    | "advance"
    | "pack"
    | "voidPack"
  >
>;

/** Sets, changes and deletes limits, in the real object and in the model at once. */
export async function changeLimits(world: World, model: Model, step: LimitStep): Promise<void> {
  const base = {
    limit: 0n,
    period: "total" as const,
    zoneMs: 0,
    mode: "enforce" as const,
    scopeKind: "org" as const,
    scopeId: "",
    born: model.steps,
  };
  if (step.do === "budget") {
    const scope =
      step.workflow === undefined
        ? { scope_kind: "org" }
        : { scope_kind: "workflow", scope_id: step.workflow };
    const mode = step.shadow ? "shadow" : "enforce";
    const input = {
      ...scope,
      limit_usd: formatUsd(step.limit),
      period: step.period,
      mode,
      alert_thresholds: [],
    };
    const { body } = await world.call("createBudget", input, step.fault);
    const scopeKind = step.workflow === undefined ? "org" : "workflow";
    model.limits.push({
      ...base,
      id: body.id,
      kind: "budget",
      scopeKind,
      scopeId: step.workflow ?? "",
      limit: step.limit,
      period: step.period,
      mode,
    });
  } else if (step.do === "customerLimit") {
    const input = { customer_id: step.customer, limit_usd: formatUsd(step.limit), period: step.period };
    const taken = model.limits.some(
      (one) => one.kind === "customer_limit" && one.scopeId === step.customer && one.period === step.period,
    );
    const answer = await world.call("createCustomerLimit", input, step.fault);
    expect(answer.status).toBe(taken ? 409 : 201);
    if (!taken)
      model.limits.push({
        ...base,
        id: answer.body.id,
        kind: "customer_limit",
        scopeKind: "customer",
        scopeId: step.customer,
        limit: step.limit,
        period: step.period,
      });
  } else if (step.do === "cap") {
    await world.call(
      "setSpendCap",
      { cap_usd: formatUsd(step.limit), timezone: step.india ? "Asia/Kolkata" : "UTC" },
      step.fault,
    );
    put(model, {
      ...base,
      id: "spend_cap",
      kind: "spend_cap",
      limit: step.limit,
      period: "day",
      zoneMs: step.india ? INDIA_MS : 0,
    });
  } else if (step.do === "prepay") {
    await world.call("setQuota", {}, step.fault);
    const there = model.limits.find((one) => one.id === "quota");
    put(model, { ...base, id: "quota", kind: "quota", limit: there?.limit ?? 0n });
  } else if (step.do === "topUp") {
    const there = model.limits.find((one) => one.id === "quota");
    const answer = await world.call("topUpQuota", { amount_usd: formatUsd(step.amount) }, step.fault);
    expect(answer.status).toBe(there === undefined ? 404 : 201);
    if (there !== undefined) there.limit = (there.limit ?? 0n) + step.amount;
  } else if (step.do === "chain") {
    await world.call(
      "setChainBudget",
      { max_cost_usd: formatUsd(step.cost), max_depth: step.depth, max_tokens: step.tokens },
      step.fault,
    );
    const chain = { ...base, scopeKind: "chain" as const, scopeId: "*" };
    put(model, { ...chain, id: "chain_cost", kind: "chain_cost", limit: step.cost });
    put(model, { ...chain, id: "chain_depth", kind: "chain_depth", limit: BigInt(step.depth) });
    put(model, { ...chain, id: "chain_tokens", kind: "chain_tokens", limit: BigInt(step.tokens) });
  } else if (step.do === "plan") {
    const overage_policy = step.block ? "block" : "allow";
    await world.call(
      "setPlanTerms",
      { plan: "unlisted", runs_limit: step.runs, tokens_limit: step.tokens, overage_policy },
      step.fault,
    );
    const mode = step.block ? "enforce" : "count";
    put(model, {
      ...base,
      id: "plan_runs",
      kind: "plan_runs",
      limit: BigInt(step.runs),
      period: "month",
      mode,
    });
    put(model, {
      ...base,
      id: "plan_tokens",
      kind: "plan_tokens",
      limit: BigInt(step.tokens),
      period: "month",
      mode,
    });
  } else await changeOrDelete(world, model, step);
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
    { id: limit.id, limit_usd: formatUsd(step.limit), period: step.period },
    step.fault,
  );
  expect(answer.status).toBe(taken ? 409 : 200);
  if (taken) return;
  limit.limit = step.limit;
  limit.period = period;
}

function put(model: Model, limit: Limit): void {
  const at = model.limits.findIndex((one) => one.id === limit.id);
  if (at < 0) model.limits.push(limit);
  else model.limits[at] = { ...limit, born: model.limits[at]?.born ?? limit.born };
}
