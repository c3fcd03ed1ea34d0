import type { Caller } from "./caller.ts";
import type { Rounds, RoundSetting } from "./findings.ts";
import { SureCalls, TAKEOVER_SECONDS } from "./sure-calls.ts";
import { type Change, wrongEntries } from "./trail.ts";
import { inNanos, inUsd } from "./world.ts";

/**
 * An org with one caller, which knows every number of it: it does one thing after the other, each under a name that makes it safe to
 * repeat, lets the object die in between, does it again, and compares.
 */

const PACK_NANOS = 1000;
const TOP_UP_NANOS = 500;
const RUN_NANOS = 10;
const REFUND_NANOS = 4;
const SETTLED_NANOS = 6;
const LEFT_NANOS = 7;
const SPENT_NANOS = RUN_NANOS - REFUND_NANOS + SETTLED_NANOS;
/** Of each month. */
const PLAN_RUNS = 14;
const RATE_LIMIT = 12;
const MANY = 8;
const PAST_A_LIMIT = 5;
const LETTER_PATIENCE_MS = 2000;
const MOST_LOOKS = 20;

export class Books implements Rounds {
  readonly name = "with books";
  readonly #given: RoundSetting;
  readonly #caller: Caller;
  readonly #operator: Caller;
  readonly #calls: SureCalls;
  readonly #below: string;
  /** On the budget and from the prepaid balance, since the org began. */
  #spent = 0;
  #toppedUp = 0;
  #rounds = 0;

  constructor(given: RoundSetting) {
    this.#given = given;
    this.#caller = given.caller;
    this.#calls = new SureCalls(given);
    this.#operator = given.operator;
    this.#below = `/v1/orgs/${given.org.id}`;
  }

  async open(): Promise<void> {
    const { org } = this.#given;
    const { letters } = this.#given.world;
    const admin = `/v1/admin/orgs/${org.id}`;
    const plan = { runs_limit: PLAN_RUNS, tokens_limit: null, overage_policy: "block" };
    await this.#operator.send("PUT", "/v1/admin/plans/books", plan);
    await this.#operator.send("PATCH", admin, { plan: "books" });
    await this.#operator.send("PUT", `${this.#below}/quota`, {});
    const match = { route: "POST /v1/edge/decision", customer_id: "*" };
    const rate = {
      name: "each",
      match,
      unit: "requests",
      limit: RATE_LIMIT,
      window_seconds: 3600,
      kind: "rate",
    };
    await this.#operator.send("PUT", `${admin}/rate-limits`, { read_rpm: 1_000_000, policies: [rate] });
    const earlier = await this.#caller.all(`${this.#below}/events?`);
    for (const { id } of earlier) letters.arrived.add(String(id));
    await this.#calls.keyed(this.#caller, `${this.#below}/webhooks`, "webhook", {
      url: letters.url,
      events: ["*"],
    });
    await this.#calls.toNextMonth();
  }

  async round(): Promise<void> {
    const name = `books-${this.#rounds++}`;
    this.#given.world.letters.beSilent();
    const since = this.#calls.now;
    const { pack, run } = await this.#spend(name);
    await this.#compare(pack, LEFT_NANOS);
    await this.#settleMany(name);
    await this.#compare(pack, LEFT_NANOS);
    await this.#fillPlan(name);
    await this.#fillRate(name);
    const runs = [run, `${name}-settled`].map((id): Change => ["run.recorded", id]);
    await this.#trail([["credit_pack.created", pack], ["run.adjusted", run], ...runs], since);
    await this.#interruptLetter();
    await this.#calls.toNextMonth();
    // What nobody settled became a run when it expired.
    this.#spent += LEFT_NANOS;
    await this.#compare(pack, 0, SPENT_NANOS + LEFT_NANOS);
    await this.#beginMonth(name);
    await this.#lettersArrive();
  }

  /** A pack, a top-up, a run, a refund, and reservations that are released, settled and left. */
  async #spend(name: string): Promise<{ pack: string; run: string }> {
    const below = this.#below;
    const packed = { customer_id: name, amount_usd: inUsd(PACK_NANOS) };
    const pack = await this.#calls.repeated(this.#caller, `${below}/credit-packs`, `${name}-pack`, packed);
    const added = { amount_usd: inUsd(TOP_UP_NANOS) };
    await this.#calls.repeated(this.#operator, `${below}/quota/top-ups`, `${name}-top-up`, added);
    this.#toppedUp += TOP_UP_NANOS;
    const run = `${name}-run`;
    await this.#calls.record(run, { customer_id: name, cost_usd: inUsd(RUN_NANOS) });
    const refund = { amount_usd: `-${inUsd(REFUND_NANOS)}`, reason: "chaos" };
    await this.#calls.repeated(this.#caller, `/v1/runs/${run}/adjustments`, `${name}-refund`, refund);
    const released = await this.#calls.hold(name, "released", RUN_NANOS);
    await this.#calls.release(released);
    const settled = await this.#calls.hold(name, "settled", SETTLED_NANOS);
    const cost = { customer_id: name, cost_usd: inUsd(SETTLED_NANOS), reservation_id: settled };
    const settlement = this.#calls.aRun(`${name}-settled`, cost);
    await this.#calls.repeated(this.#caller, "/v1/runs", `${name}-settled`, settlement);
    await this.#calls.hold(name, "left", LEFT_NANOS, { on_expiry: "charge", hold_seconds: 3600 });
    await this.#calls.release(released);
    await this.#calls.end();
    this.#spent += SPENT_NANOS;
    return { pack: String(pack.body["id"]), run };
  }

  async #compare(pack: string, reserved: number, drawn = SPENT_NANOS): Promise<void> {
    const { org } = this.#given;
    const read = async (path: string) =>
      (await this.#calls.send(this.#caller, "GET", this.#below + path)).body;
    const budget = await read(`/budgets/${org.budgetId}`);
    const credits = await read(`/credit-packs/${pack}`);
    const quota = await read("/quota");
    this.#same("of the budget are spent", inNanos(budget["spent_usd"]), this.#spent);
    this.#same("of the budget are reserved", inNanos(budget["reserved_usd"]), reserved);
    this.#same("of a credit pack are spent", inNanos(credits["spent_usd"]), drawn);
    this.#same("of a credit pack are reserved", inNanos(credits["reserved_usd"]), reserved);
    this.#same("are prepaid", inNanos(quota["balance_usd"]), this.#toppedUp - this.#spent);
    this.#same("of the prepaid balance are reserved", inNanos(quota["reserved_usd"]), reserved);
  }

  #same(what: string, found: number, known: number): void {
    if (found === known) return;
    this.#given.findings.add("wrong sum", `${found} nano-dollars ${what}, and its caller knows of ${known}`);
  }

  /** A month has room for so many runs and no more: some are recorded, one is reserved. */
  async #fillPlan(name: string): Promise<void> {
    let taken = 3 + MANY;
    for (let at = 0; at < PLAN_RUNS - MANY; at += 1) {
      if (at === 2) await this.#calls.end();
      const answer = await this.#calls.run(`${name}-plan-${at}`, { cost_usd: "0" });
      if (answer.status < 300) taken += 1;
      else this.#calls.promised(`run ${name}-plan-${at}`, answer, [402]);
    }
    if (taken === PLAN_RUNS) return;
    const what = `a plan of ${PLAN_RUNS} runs a month took ${taken}`;
    this.#given.findings.add(taken > PLAN_RUNS ? "overspent limit" : "wrong sum", what);
  }

  /** No hour has more calls of a customer than a rate limit allows, however often the object starts anew. */
  async #fillRate(name: string): Promise<void> {
    let allowed = 0;
    const ask = { customer_id: `${name}-rate`, estimate: { cost_usd: "0" } };
    for (let at = 0; at < RATE_LIMIT + PAST_A_LIMIT; at += 1) {
      if (at === RATE_LIMIT - 2) await this.#calls.end();
      const answer = await this.#caller.try("POST", "/v1/edge/decision", ask);
      if (answer?.status === 200) allowed += 1;
    }
    if (allowed <= RATE_LIMIT) return;
    this.#given.findings.add(
      "overspent limit",
      `a rate limit of ${RATE_LIMIT} an hour let ${allowed} calls pass`,
    );
  }

  /** The whole log of this round, whatever became of the object meanwhile. */
  async #trail(changes: readonly Change[], since: string): Promise<void> {
    const entries = await this.#caller.all(`${this.#below}/audit-log?from=${encodeURIComponent(since)}&`);
    for (const what of wrongEntries(changes, entries)) this.#given.findings.add("broken trail", what);
  }

  /** Reservations that are written to their table together are all there, and each is settled. */
  async #settleMany(name: string): Promise<void> {
    const ids: string[] = [];
    for (let at = 0; at < MANY; at += 1) {
      ids.push(await this.#calls.hold(`${name}-many`, String(at), 1, { hold_seconds: 3600 }));
    }
    await this.#calls.checkpoint();
    await this.#calls.end();
    const runs = ids.map((reservation_id, at) => {
      const cost = { customer_id: `${name}-many`, cost_usd: inUsd(1), reservation_id };
      return this.#calls.aRun(`${name}-many-${at}`, cost);
    });
    const { body } = await this.#calls.send(this.#caller, "POST", "/v1/runs/bulk", { runs });
    this.#spent += MANY;
    for (const { id, status } of body["results"] as { id: string; status: string }[]) {
      if (status !== "rejected") continue;
      this.#given.findings.add("lost report", `run ${id} of a reservation was rejected`);
    }
  }

  /** The object dies while a receiver has not answered yet. */
  async #interruptLetter(): Promise<void> {
    const { letters } = this.#given.world;
    await letters.waitForOne(LETTER_PATIENCE_MS);
    await this.#calls.end();
    letters.speak();
  }

  /** Of a new month nothing is used yet. */
  async #beginMonth(name: string): Promise<void> {
    const { body } = await this.#calls.send(this.#caller, "GET", `${this.#below}/plan`);
    if (body["runs_used"] !== 0) {
      this.#given.findings.add(
        "wrong sum",
        `a new month begins with ${String(body["runs_used"])} runs of a plan`,
      );
    }
    const answer = await this.#calls.run(`${name}-new`, { cost_usd: "0" });
    this.#calls.promised(`run ${name}-new in a new month`, answer, [200, 201]);
    await this.#calls.toNextMonth();
  }

  /** However often the object died: each event arrives. Attempts that were cut off are made again. */
  async #lettersArrive(): Promise<void> {
    const { findings, world } = this.#given;
    const { letters } = world;
    const events = await this.#caller.all(`${this.#below}/events?`);
    const missing = () => events.map(({ id }) => String(id)).filter((id) => !letters.arrived.has(id));
    for (let look = 0; look < MOST_LOOKS && missing().length > 0; look += 1)
      await this.#calls.pass(TAKEOVER_SECONDS);
    for (const id of missing()) {
      findings.add("lost webhook", `event ${id} never arrived`);
      letters.arrived.add(id);
    }
  }
}
