import { expect } from "vitest";
import { formatUsd } from "../../../src/domain/money.ts";
import { type Attempt, BASE_MS, HOUR_MS, type Limit, Model, type ModelHold, type Scopes } from "./model.ts";
import type { RunFields, ScopeFields, Step } from "./steps.ts";
import { World } from "./world.ts";

const INDIA_MS = 5.5 * HOUR_MS;
const CODES: Record<Limit["kind"], string> = {
  budget: "budget_exceeded",
  customer_limit: "budget_exceeded",
  spend_cap: "spend_cap_exceeded",
  quota: "quota_exhausted",
  plan_runs: "plan_limit_exceeded",
  plan_tokens: "plan_limit_exceeded",
  chain_cost: "chain_budget_exceeded",
  chain_tokens: "chain_budget_exceeded",
  chain_depth: "chain_budget_exceeded",
};
type StepOf<K extends Step["do"]> = Extract<Step, { do: K }>;

/** Plays steps against the real object and the model at once, and holds the two against each other. */
export class Play {
  readonly world = new World();
  readonly model = new Model();
  #named = 0;

  async step(step: Step): Promise<void> {
    this.model.expire();
    if (step.do === "run") return this.#run(step);
    if (step.do === "bulk") return this.#bulk(step);
    if (step.do === "decide") return this.#decide(step);
    if (step.do === "release") return this.#release(step);
    if (step.do === "pack") return this.#pack(step);
    if (step.do === "voidPack") return this.#voidPack(step);
    if (step.do !== "advance") return this.#changeLimits(step);
    this.model.hour += step.hours;
    await this.world.moveTo(this.model.hour);
    return this.model.expire();
  }

  async #run(step: StepOf<"run">): Promise<void> {
    const id = `r${++this.#named}`;
    const { input, attempt, hold } = this.#toRun(id, step);
    const answer = await this.world.call("recordRun", input, step.fault);
    const refusal = this.#expected(id, attempt, hold, step.fact);
    expect(codeOf(answer)).toBe(refusal);
    expect(answer.status).toBe(refusal === null ? 201 : answer.status);
    if (!step.again || refusal !== null) return;
    const again = await this.world.call("recordRun", input);
    expect([again.status, again.body]).toEqual([200, answer.body]);
    const other = await this.world.call("recordRun", { ...input, model: "other" });
    expect(codeOf(other)).toBe("conflict");
  }

  async #bulk(step: StepOf<"bulk">): Promise<void> {
    const runs = step.runs.map((fields) => ({ id: `r${++this.#named}`, fields }));
    // A hold that two runs of a batch name is settled by the first: the model would have to know the order.
    const seen = new Set<number>();
    const made = runs.map(({ id, fields }) => {
      const settle = fields.settle === undefined || seen.has(fields.settle % 5) ? undefined : fields.settle;
      if (settle !== undefined) seen.add(settle % 5);
      return {
        id,
        fact: fields.fact,
        ...this.#toRun(id, { ...fields, settle: seen.size > 1 ? undefined : settle, chain: undefined }),
      };
    });
    const answer = await this.world.call(
      "recordRuns",
      { text: JSON.stringify({ runs: made.map((one) => one.input) }), isChecked: false },
      step.fault,
    );
    const expected = made.map((one) => this.#expected(one.id, one.attempt, one.hold, one.fact));
    const common = expected.every((code) => code !== null && code === expected[0]);
    if (common) {
      expect(codeOf(answer)).toBe(expected[0]);
      return;
    }
    const results = answer.body.results as { error?: { code: string } }[];
    expect(results.map((one) => one.error?.code ?? null)).toEqual(expected);
  }

  /** Records in the model what must be accepted; gives the code of the refusal otherwise. */
  #expected(id: string, attempt: Attempt, hold: ModelHold | null, fact: boolean): string | null {
    if (hold === null && !fact) {
      const { refusedBy } = this.model.judge(attempt, "run");
      if (refusedBy !== null) return refusedBy === "credits" ? "credits_exhausted" : CODES[refusedBy.kind];
    }
    if (hold !== null) hold.status = "settled";
    this.model.record(id, attempt, hold?.hour ?? this.model.hour);
    return null;
  }

  #toRun(id: string, fields: RunFields) {
    const usable = this.model.holds.filter(
      (hold) =>
        hold.status === "open" || (hold.status === "expired" && this.model.hour - hold.expiresHour < 100),
    );
    const hold =
      fields.settle === undefined ? null : (usable[fields.settle % Math.max(1, usable.length)] ?? null);
    const inChain = this.model.runs.filter(
      (run) => fields.chain !== undefined && run.scopes.chain === fields.chain.id,
    );
    const parent =
      fields.chain?.parent === undefined
        ? undefined
        : inChain[fields.chain.parent % Math.max(1, inChain.length)];
    const scopes = toScopes(fields.scopes, fields.chain?.id);
    const depth = fields.chain === undefined ? 0 : (parent?.depth ?? 0) + 1;
    const input = {
      id,
      started_at: "2027-01-01T00:00:00Z",
      model: "m",
      usage: { input_tokens: fields.tokens, output_tokens: 0 },
      cost_usd: formatUsd(fields.cost),
      ...toIds(fields.scopes),
      ...(fields.chain === undefined
        ? {}
        : { chain: { chain_id: fields.chain.id, parent_run_id: parent?.id } }),
      ...(hold === null ? {} : { reservation_id: hold.id }),
      ...(fields.fact ? { incurred: true } : {}),
    };
    return { input, hold, attempt: { scopes, cost: fields.cost, tokens: BigInt(fields.tokens), depth } };
  }

  async #decide(step: StepOf<"decide">): Promise<void> {
    const scopes = toScopes(step.scopes, undefined);
    const attempt: Attempt = { scopes, cost: step.cost, tokens: 0n, depth: 0 };
    const named = step.named ? { request_id: `q${++this.#named}` } : {};
    const ask = {
      estimate: { cost_usd: formatUsd(step.cost) },
      hold_seconds: step.hold,
      ...toIds(step.scopes),
      ...named,
    };
    const dry = await this.world.call("decide", { ...ask, dry_run: true });
    const answer = await this.world.call("decide", ask, step.fault);
    const { refusedBy } = this.model.judge(attempt, "decision");
    const expected = refusedBy === null ? null : CODES[(refusedBy as Limit).kind];
    expect([dry.body.would_deny?.code ?? null, codeOf(answer)]).toEqual([expected, expected]);
    if (refusedBy !== null) return;
    this.model.holds.push({
      id: answer.body.reservation.id,
      scopes,
      hour: this.model.hour,
      amount: step.cost,
      expiresHour: this.model.hour + step.hold / 3600,
      held: this.model.touched(scopes, "decision").map((limit) => limit.id),
      status: "open",
    });
    if (!step.named) return;
    const again = await this.world.call("decide", ask);
    expect(again.body).toEqual(answer.body);
  }

  async #release(step: StepOf<"release">): Promise<void> {
    const hold = this.model.holds[step.pick % Math.max(1, this.model.holds.length)];
    if (hold === undefined || this.model.hour - hold.expiresHour > 100) return;
    const answer = await this.world.call("releaseHold", { reservationId: hold.id }, step.fault);
    expect(answer.status).toBe(hold.status === "settled" ? 409 : 204);
    if (hold.status === "open") hold.status = "released";
  }

  async #pack(step: StepOf<"pack">): Promise<void> {
    const { customer, amount, priority, hours } = step;
    const expiresHour = hours === undefined ? null : this.model.hour + hours;
    // A quarter of an hour before the whole one: by the time the clock stands there, it is over.
    const expires_at =
      expiresHour === null
        ? undefined
        : new Date(BASE_MS + expiresHour * HOUR_MS - HOUR_MS / 4).toISOString();
    const input = { customer_id: customer, amount_usd: formatUsd(amount), priority, expires_at };
    const { body } = await this.world.call("createCreditPack", input, step.fault);
    this.model.packs.push({
      id: body.id,
      customer,
      amount,
      priority,
      expiresHour,
      voided: false,
      age: this.model.packs.length,
    });
  }

  async #voidPack(step: StepOf<"voidPack">): Promise<void> {
    const pack = this.model.packs[step.pick % Math.max(1, this.model.packs.length)];
    if (pack === undefined) return;
    const ended = pack.voided || (pack.expiresHour !== null && pack.expiresHour <= this.model.hour);
    const answer = await this.world.call("voidCreditPack", { id: pack.id }, step.fault);
    expect(answer.status).toBe(ended ? 409 : 200);
    if (!ended) pack.voided = true;
  }

  async #changeLimits(
    step: Exclude<Step, StepOf<"run" | "bulk" | "decide" | "release" | "advance" | "pack" | "voidPack">>,
  ): Promise<void> {
    const { model, world } = this;
    const base = {
      limit: 0n,
      period: "total" as const,
      zoneMs: 0,
      mode: "enforce" as const,
      scopeKind: "org" as const,
      scopeId: "",
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
      this.#put({
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
      this.#put({ ...base, id: "quota", kind: "quota", limit: there?.limit ?? 0n });
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
      this.#put({ ...chain, id: "chain_cost", kind: "chain_cost", limit: step.cost });
      this.#put({ ...chain, id: "chain_depth", kind: "chain_depth", limit: BigInt(step.depth) });
      this.#put({ ...chain, id: "chain_tokens", kind: "chain_tokens", limit: BigInt(step.tokens) });
    } else if (step.do === "plan") {
      const overage_policy = step.block ? "block" : "allow";
      await world.call(
        "setPlanTerms",
        { plan: "unlisted", runs_limit: step.runs, tokens_limit: step.tokens, overage_policy },
        step.fault,
      );
      const mode = step.block ? "enforce" : "count";
      this.#put({
        ...base,
        id: "plan_runs",
        kind: "plan_runs",
        limit: BigInt(step.runs),
        period: "month",
        mode,
      });
      this.#put({
        ...base,
        id: "plan_tokens",
        kind: "plan_tokens",
        limit: BigInt(step.tokens),
        period: "month",
        mode,
      });
    } else await this.#changeOrDelete(step);
  }

  async #changeOrDelete(step: StepOf<"changeLimit" | "deleteLimit">): Promise<void> {
    const deletable = this.model.limits.filter((one) => !/^plan|^chain/.test(one.id));
    const limit = deletable[step.pick % Math.max(1, deletable.length)];
    if (limit === undefined) return;
    const noun = { budget: "Budget", customer_limit: "CustomerLimit", spend_cap: "SpendCap", quota: "Quota" }[
      limit.kind as "budget"
    ];
    if (step.do === "deleteLimit") {
      const answer = await this.world.call(`delete${noun}`, { id: limit.id }, step.fault);
      expect(answer.status).toBe(204);
      this.model.limits = this.model.limits.filter((one) => one !== limit);
      for (const run of this.model.runs) run.charged = run.charged.filter((id) => id !== limit.id);
      for (const hold of this.model.holds) hold.held = hold.held.filter((id) => id !== limit.id);
      return;
    }
    if (limit.kind !== "budget" && limit.kind !== "customer_limit") return;
    const period = step.period ?? limit.period;
    const taken = this.model.limits.some(
      (one) =>
        one !== limit &&
        one.kind === "customer_limit" &&
        limit.kind === one.kind &&
        one.scopeId === limit.scopeId &&
        one.period === period,
    );
    const answer = await this.world.call(
      `change${noun}`,
      { id: limit.id, limit_usd: formatUsd(step.limit), period: step.period },
      step.fault,
    );
    expect(answer.status).toBe(taken ? 409 : 200);
    if (taken) return;
    limit.limit = step.limit;
    limit.period = period;
  }

  #put(limit: Limit): void {
    const at = this.model.limits.findIndex((one) => one.id === limit.id);
    if (at < 0) this.model.limits.push(limit);
    else this.model.limits[at] = limit;
  }
}

function codeOf(answer: { body: { error?: { code: string } } | null }): string | null {
  return answer.body?.error?.code ?? null;
}

function toScopes(fields: ScopeFields, chain: string | undefined): Scopes {
  return {
    ...(fields.workflow === undefined ? {} : { workflow: fields.workflow }),
    ...(fields.customer === undefined ? {} : { customer: fields.customer }),
    ...(chain === undefined ? {} : { chain }),
  };
}

function toIds(fields: ScopeFields) {
  return {
    ...(fields.workflow === undefined ? {} : { workflow_id: fields.workflow }),
    ...(fields.customer === undefined ? {} : { customer_id: fields.customer }),
  };
}
