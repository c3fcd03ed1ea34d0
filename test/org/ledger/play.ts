import { expect } from "vitest";
import { formatUsd, MAX_USD_NANOS } from "../../../src/domain/price/money.ts";
import { newId } from "../../../src/domain/bytes/ulid.ts";
import { hasSameFingerprint } from "../../../src/domain/reservation/reservation-id.ts";
import { BASE_MS, halfDayOf, HOUR_MS } from "./model-limits.ts";
import { Model } from "./model.ts";
import type { Attempt, Limit, ModelHold, RequestAsk, Scopes, Verdict } from "./model-rows.ts";
import { changeLimits } from "./limit-steps.ts";
import type { RunFields, ScopeFields, Step, StepOf } from "./steps.ts";
import { HELD_MS, LeaseHolder } from "../../support/lease-holder.ts";
import { World } from "./world.ts";

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

const NOWHERE: ScopeFields = { workflow: undefined, customer: undefined };

/** Plays steps against the real object and the model at once, and compares the two. */
export class Play {
  readonly world = new World();
  readonly model = new Model();
  /** How many calls isolates decided. */
  sliced = 0;
  #named = 0;

  async step(step: Step): Promise<void> {
    this.model.expire();
    this.model.steps += 1;
    await this.world.nextMoment();
    if (step.do === "run") return this.#run(step);
    if (step.do === "bulk") return this.#bulk(step);
    if (step.do === "decide") return this.#decide(step);
    if (step.do === "sliced") return this.#sliced(step);
    if (step.do === "release") return this.#release(step);
    if (step.do === "adjust") return this.#adjust(step);
    if (step.do === "askAgain") return this.#askAgain(step);
    if (step.do === "unreported") return this.#unreported(step);
    if (step.do === "pack") return this.#pack(step);
    if (step.do === "voidPack") return this.#voidPack(step);
    if (step.do !== "advance") return changeLimits(this.world, this.model, step);
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
    // A hold that two runs of a batch name is settled by the first. The model would have to know the order.
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
      { text: JSON.stringify({ runs: made.map((one) => one.input) }) },
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

  /** Records in the model what must be accepted. Otherwise returns the code of the refusal. */
  #expected(id: string, attempt: Attempt, hold: ModelHold | null, fact: boolean): string | null {
    if (hold === null && !fact) {
      const { refusedBy } = this.model.judge(attempt, "run");
      if (refusedBy !== null) return codeBy(refusedBy);
    }
    if (hold !== null && this.model.settledAlike(hold).length > 0) return "conflict";
    if (hold !== null) this.model.settle(id, attempt, hold);
    else if (fact) this.model.recordFact(id, attempt, null);
    else this.model.record(id, attempt, null);
    return null;
  }

  #toRun(id: string, fields: RunFields) {
    const usable = this.model.holds.filter(
      (hold) =>
        (hold.status === "open" || hold.status === "expired") &&
        [hold, ...this.model.settledAlike(hold)].every((one) => this.model.remembers(one)),
    );
    const hold =
      fields.settle === undefined ? null : (usable[fields.settle % Math.max(1, usable.length)] ?? null);
    const { chain, depth } = this.#inChain(fields.chain);
    const scopes = toScopes(fields.scopes, fields.chain?.id);
    const input = {
      id,
      started_at: "2027-01-01T00:00:00Z",
      model: "m",
      usage: { input_tokens: fields.tokens, output_tokens: 0 },
      cost_usd: formatUsd(fields.cost),
      ...toIds(fields.scopes),
      ...chain,
      ...(hold === null ? {} : { reservation_id: hold.id }),
      ...(fields.fact ? { incurred: true } : {}),
    };
    return { input, hold, attempt: { scopes, cost: fields.cost, tokens: BigInt(fields.tokens), depth } };
  }

  #inChain(fields: RunFields["chain"]) {
    if (fields === undefined) return { chain: {}, depth: 0 };
    const inChain = this.model.runs.filter(
      (run) => run.scopes.chain === fields.id && this.model.estimateOf(run) === undefined,
    );
    const parent =
      fields.parent === undefined ? undefined : inChain[fields.parent % Math.max(1, inChain.length)];
    const chain = { chain: { chain_id: fields.id, parent_run_id: parent?.id } };
    return { chain, depth: (parent?.depth ?? 0) + 1 };
  }

  async #decide(step: StepOf<"decide">): Promise<void> {
    const { chain, depth } = this.#inChain(step.chain);
    const phase = step.all ? "run" : "decision";
    const scopes = toScopes(step.scopes, step.chain?.id);
    const attempt: Attempt = { scopes, cost: step.cost, tokens: BigInt(step.tokens), depth };
    const named = step.named ? { request_id: `q${++this.#named}` } : {};
    const ask = {
      estimate: { cost_usd: formatUsd(step.cost), input_tokens: step.tokens, max_output_tokens: 0 },
      hold_seconds: step.hold,
      ...toIds(step.scopes),
      ...chain,
      ...named,
      ...(step.all ? { checks: "all" } : {}),
      ...(step.charge ? { on_expiry: "charge" } : {}),
    };
    const dry = await this.world.call("decide", { ...ask, dry_run: true });
    const answer = await this.world.call("decide", ask, step.fault);
    const { refusedBy } = this.model.judge(attempt, phase);
    const expected = codeBy(refusedBy);
    expect([dry.body.would_deny?.code ?? null, codeOf(answer)]).toEqual([expected, expected]);
    if (refusedBy !== null) return;
    const request = step.named ? { ask: ask as unknown as RequestAsk, body: answer.body } : null;
    this.#held(answer.body.reservation.id, { attempt, phase, charge: step.charge }, step.hold, request);
    if (!step.named) return;
    const again = await this.world.call("decide", ask);
    expect(again.body).toEqual(answer.body);
  }

  /** Isolates near a limit have no slices, and leave the call to the object. */
  async #sliced(step: StepOf<"sliced">): Promise<void> {
    const { cost, tokens, charge, late, twice } = step;
    const ids = toIds(step.scopes);
    const isolates = Array.from({ length: twice ? 2 : 1 }, () => new LeaseHolder(this.world.id));
    for (const isolate of isolates) await isolate.lease(cost, ids, tokens);
    const at = this.world.now;
    const name = twice ? this.world.ids.idOf(`q${++this.#named}`, "sliced", at).slice(4) : undefined;
    const beside = { tokens, inputTokens: Math.floor(tokens / 3), ...(charge ? { call: ids } : {}) };
    const held = isolates.map((one) => one.hold(cost, at, name, late ? 1 : HELD_MS, beside));
    if (late) for (let wait = 0; wait < 3; wait += 1) await this.world.nextMoment();
    for (const [index, isolate] of isolates.entries()) {
      if (step.report === "unheard" && held[index] !== null) await isolate.reportInVain();
      if (step.fault !== "none") await this.world.evict();
      await isolate.end();
      if (step.report === "repeated") await isolate.repeat();
    }
    const id = held.find((one) => one !== null) ?? null;
    if (id === null) return;
    const attempt = { scopes: toScopes(step.scopes, undefined), cost, tokens: BigInt(tokens), depth: 0 };
    expect(this.model.judge(attempt, "decision").refusedBy).toBeNull();
    this.sliced += 1;
    this.#held(id, { attempt, phase: "decision", charge }, late ? 0 : HELD_MS / 1000, null);
    if (!late) return;
    await this.world.runDue();
    this.model.expire();
  }

  #held(
    id: string,
    { attempt, phase, charge }: Pick<ModelHold, "attempt" | "phase" | "charge">,
    holdSeconds: number,
    request: ModelHold["request"],
  ): void {
    const { customer } = attempt.scopes;
    this.model.holds.push({
      id,
      attempt,
      phase,
      hour: this.model.hour,
      born: this.model.steps,
      expiresHour: this.model.hour + holdSeconds / 3600,
      packs: phase === "run" ? this.model.drawsOf(customer, attempt.cost) : new Map(),
      held: this.model.touched(attempt.scopes, phase).map((limit) => limit.id),
      charge,
      status: "open",
      endedHour: null,
      request,
    });
  }

  async #askAgain(step: StepOf<"askAgain">): Promise<void> {
    const named = this.model.holds.filter((one) => one.request !== null && this.model.remembers(one));
    const hold = named[step.pick % Math.max(1, named.length)];
    if (hold === undefined || hold.request === null) return;
    const { ask } = hold.request;
    const asked = step.other ? { ...ask, action: `other-${++this.#named}` } : ask;
    const standing = this.model.standing(ask.request_id);
    const answer = await this.world.call("decide", asked, step.fault);
    if (standing.length > 0) {
      const same = standing.find((one) => !step.other && hasSameFingerprint(one.id, hold.id));
      if (same === undefined) expect(codeOf(answer)).toBe("conflict");
      else expect(answer.body).toEqual(same.request?.body);
      return;
    }
    const { refusedBy } = this.model.judge(hold.attempt, hold.phase);
    expect(codeOf(answer)).toBe(codeBy(refusedBy));
    if (refusedBy !== null) return;
    const { id } = answer.body.reservation;
    expect(hasSameFingerprint(id, hold.id)).toBe(!step.other);
    // When decided again in the same half day, it has the same id, so the new hold replaces the old one.
    expect(id === hold.id).toBe(!step.other && halfDayOf(this.model.hour) === halfDayOf(hold.hour));
    this.model.holds = this.model.holds.filter((one) => one.id !== id);
    this.#held(id, hold, Number(asked["hold_seconds"]), { ask: asked, body: answer.body });
  }

  async #unreported(step: StepOf<"unreported">): Promise<void> {
    const at = this.world.now;
    const reservation_id = step.made === "by us" ? this.world.ids.newId(at) : newId("rsv", at);
    const run = () => {
      const fields = { scopes: NOWHERE, cost: step.cost, tokens: 0, fact: false, settle: undefined };
      const { input, attempt } = this.#toRun(`r${++this.#named}`, { ...fields, chain: undefined });
      return { input: { ...input, reservation_id }, attempt };
    };
    const first = run();
    const answer = await this.world.call("recordRun", first.input, step.fault);
    if (step.made === "by nobody") {
      expect(codeOf(answer)).toBe("validation_failed");
      return;
    }
    expect(answer.status).toBe(201);
    this.model.recordFact(first.input.id, first.attempt, null);
    expect(codeOf(await this.world.call("recordRun", run().input))).toBe("conflict");
    const nothing = { attempt: { ...first.attempt, cost: 0n }, phase: "decision", charge: false } as const;
    this.#held(reservation_id, nothing, 0, null);
    const hold = this.model.holds.at(-1);
    if (hold !== undefined) this.model.end(hold, "settled");
  }

  async #adjust(step: StepOf<"adjust">): Promise<void> {
    const run = this.model.runs[step.pick % Math.max(1, this.model.runs.length)];
    if (run === undefined) return;
    const hold = this.model.estimateOf(run);
    if (hold !== undefined) return this.#adjustEstimate(hold);
    const amount = step.back ? -step.amount : step.amount;
    const input = { runId: run.id, amount_usd: formatUsd(amount), reason: "r" };
    const answer = await this.world.call("adjustRun", input, step.fault);
    const net = this.model.net(run) + amount;
    const refused = net < 0n || net > MAX_USD_NANOS;
    expect(codeOf(answer)).toBe(refused ? "validation_failed" : null);
    if (refused) return;
    expect(answer.body.net_cost_usd).toBe(formatUsd(net));
    this.model.adjust(run, amount);
  }

  async #adjustEstimate(hold: ModelHold): Promise<void> {
    if (!this.model.remembers(hold)) return;
    const runId = (await this.world.estimates()).get(hold.id);
    const input = { runId, amount_usd: "1", reason: "r" };
    expect(codeOf(await this.world.call("adjustRun", input))).toBe("conflict");
  }

  async #release(step: StepOf<"release">): Promise<void> {
    const hold = this.model.holds[step.pick % Math.max(1, this.model.holds.length)];
    if (hold === undefined || !this.model.remembers(hold)) return;
    const answer = await this.world.call("releaseHold", { reservationId: hold.id }, step.fault);
    const isCharged = hold.charge && hold.status === "expired";
    expect(answer.status).toBe(hold.status === "settled" || isCharged ? 409 : 204);
    if (hold.status === "open" || (hold.status === "expired" && !isCharged)) this.model.end(hold, "released");
  }

  async #pack(step: StepOf<"pack">): Promise<void> {
    const { customer, amount, priority, hours } = step;
    const expiresHour = hours === undefined ? null : this.model.hour + hours;
    // A quarter of an hour before the full hour: when the clock reaches it, it has ended.
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
}

function codeBy(refusedBy: Verdict["refusedBy"]): string | null {
  if (refusedBy === null) return null;
  return refusedBy === "credits" ? "credits_exhausted" : CODES[refusedBy.kind];
}

function codeOf(answer: { body: { error?: { code: string } } | null }): string | null {
  return answer.body?.error?.code ?? null;
}

function toScopes(fields: ScopeFields, chain: string | undefined): Scopes {
  return {
    ...(fields.workflow === undefined ? {} : { workflow: fields.workflow }),
    ...(fields.customer === undefined ? {} : { customer: fields.customer }),
    ...(chain === undefined ? {} : { chain }),
    ...(fields.user === undefined ? {} : { user: fields.user }),
    ...(fields.team === undefined ? {} : { team: fields.team }),
  };
}

function toIds(fields: ScopeFields) {
  return {
    ...(fields.workflow === undefined ? {} : { workflow_id: fields.workflow }),
    ...(fields.customer === undefined ? {} : { customer_id: fields.customer }),
    ...(fields.user === undefined ? {} : { user_id: fields.user }),
    ...(fields.team === undefined ? {} : { tags: { team: fields.team } }),
  };
}
