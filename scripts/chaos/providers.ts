import { setTimeout as sleep } from "node:timers/promises";
import type { Body } from "./caller.ts";
import type { FlakyProvider } from "./flaky-provider.ts";
import type { Rounds, RoundSetting } from "./findings.ts";
import type { ViolationKind } from "./history.ts";
import { sum } from "./sum.ts";
import { inNanos } from "./world.ts";

const FIRST = "gpt-4o-mini";
/** Not the model of calls that are compared with what the stand-in served. */
const FALLBACK = "gpt-4o";
const PRICE = { provider: "openai", input_usd_per_mtok: "1", output_usd_per_mtok: "1" };
const SECRET = "sk-of-an-org-0123456789-chaos-0123456789";
const CALLS = 3;
const POLL_MS = 200;
const ANSWERED_MS = 10_000;
const SETTLED_SECONDS = 20;
const RELEASED_SECONDS = 10;
/**
 * A key is asked for anew after five seconds, and is not used for longer than a minute while the service is away. The proxy counts them
 * by the clock, however slow the machine is.
 */
const FORGOTTEN_MS = 40_000;
const FORGOTTEN_IN_FAULTS_MS = 75_000;

/**
 * An org that brings its own key of a provider, which fails for one model, and for both. A call is recorded under the model that
 * answered, and one that nobody answered costs nothing. Once the key is deleted, no call goes with it.
 */
export class Providers implements Rounds {
  readonly name = "of providers";
  readonly #given: RoundSetting;
  readonly #below: string;
  readonly #provider: FlakyProvider;

  constructor(given: RoundSetting, provider: FlakyProvider) {
    this.#given = given;
    this.#provider = provider;
    this.#below = `/v1/orgs/${given.org.id}`;
  }

  async open(): Promise<void> {
    const { caller, world } = this.#given;
    world.secrets.set(SECRET, "a provider's key of an org");
    await caller.send("PUT", `${this.#below}/models/${FALLBACK}`, PRICE);
    const rule = { then: [{ model: FALLBACK }], on: ["provider_error"], match: { model: FIRST } };
    await caller.send("PUT", `${this.#below}/fallbacks/next`, rule);
  }

  async round(): Promise<void> {
    const { failing } = this.#provider;
    failing.clear();
    await this.#useKey();
    failing.add(FIRST);
    for (let calls = 0; calls < CALLS; calls += 1) await this.#fallsBack();
    failing.add(FALLBACK);
    await this.#failsAltogether();
    failing.clear();
    await this.#compare();
    await this.#deleteKey();
  }

  async #useKey(): Promise<void> {
    const { caller, traffic } = this.#given;
    const key = { secret: SECRET, base_url: this.#provider.url };
    await caller.send("PUT", `${this.#below}/provider-keys/openai`, key);
    while (!traffic.isOver && !(await this.#goesWithKey())) await sleep(POLL_MS);
  }

  async #fallsBack(): Promise<void> {
    const runtime = this.#runtime();
    const answer = await this.#call(FIRST);
    if (this.#runtime() !== runtime || answer === null) return;
    const { status, run } = answer;
    if (status !== 200) {
      // A disk may be full on purpose, and then nothing is decided.
      if (status !== 503)
        this.#add("unpromised answer", `a call with a fallback was answered with ${status}`);
      return;
    }
    const stored = await this.#stored(run);
    if (this.#runtime() !== runtime) return;
    const recorded = stored === null ? "nothing" : String(stored["model"]);
    if (recorded !== FALLBACK) this.#add("lost report", `${FALLBACK} answered, and ${recorded} was recorded`);
  }

  async #failsAltogether(): Promise<void> {
    const runtime = this.#runtime();
    const billed = this.#provider.billed.length;
    const answer = await this.#call(FIRST);
    if (this.#runtime() !== runtime || answer === null || this.#provider.billed.length > billed) return;
    if (answer.status < 500)
      this.#add("unpromised answer", `two failures were answered with ${answer.status}`);
    const isOver = this.#given.world.pace.after(RELEASED_SECONDS);
    for (; !isOver(); await sleep(POLL_MS)) {
      if (this.#runtime() !== runtime || inNanos((await this.#budget())["reserved_usd"]) === 0) return;
    }
    this.#add("stuck reservation", "calls that no provider served are still reserved");
  }

  /** Runs and what is spent agree, and there are not more than were billed. */
  async #compare(): Promise<void> {
    const { caller } = this.#given;
    const runs = await caller.all("/v1/runs?");
    const spent = inNanos((await this.#budget())["spent_usd"]);
    const cost = sum(runs.map((run) => inNanos(run["cost_usd"])));
    if (spent !== cost) this.#add("wrong sum", `${spent} nano-dollars are spent, and the runs cost ${cost}`);
    const completed = runs.filter((run) => run["outcome"] === "completed").length;
    const billed = this.#provider.billed.length + this.#served;
    if (completed > billed) this.#add("doubled settlement", `${completed} calls are recorded of ${billed}`);
  }

  async #deleteKey(): Promise<void> {
    const { caller, traffic } = this.#given;
    const runtime = this.#runtime();
    await caller.send("DELETE", `${this.#below}/provider-keys/openai`);
    const deletedAt = performance.now();
    while (await this.#goesWithKey()) {
      if (traffic.isOver) return;
      const mostMs = this.#runtime() === runtime ? FORGOTTEN_MS : FORGOTTEN_IN_FAULTS_MS;
      if (performance.now() > deletedAt + mostMs) {
        this.#add("skipped check", "calls still go with a provider's key that was deleted");
        return;
      }
      await sleep(POLL_MS);
    }
    for (let calls = 0; calls < CALLS; calls += 1) {
      if (await this.#goesWithKey())
        this.#add("skipped check", "a provider's key that was deleted came back");
    }
  }

  /** What the stand-in has served to this org, with the proxy's own key. */
  get #served(): number {
    return this.#given.world.provider.served.filter(({ model }) => model === FALLBACK).length;
  }

  async #goesWithKey(): Promise<boolean> {
    const before = this.#provider.keys.length;
    await this.#call(FALLBACK);
    return this.#provider.keys.slice(before).includes(`Bearer ${SECRET}`);
  }

  async #call(model: string): Promise<{ status: number; run: string | null } | null> {
    const { world, org, traffic } = this.#given;
    const body = { model, max_tokens: 5, messages: [{ role: "user", content: "2 words" }] };
    try {
      const answer = await fetch(`${world.eu.server.proxyUrl}/openai/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${org.key}`, "content-type": "application/json" },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(world.pace.ms(ANSWERED_MS)),
      });
      await answer.text();
      traffic.answers += 1;
      return { status: answer.status, run: answer.headers.get("x-sluice-run-id") };
    } catch {
      await sleep(POLL_MS);
      return null;
    }
  }

  /** The proxy sends runs in bulk, a moment later. */
  async #stored(run: string | null): Promise<Body | null> {
    const { caller, world } = this.#given;
    for (const isOver = world.pace.after(SETTLED_SECONDS); !isOver(); await sleep(POLL_MS)) {
      const { status, body } = await caller.send("GET", `/v1/runs/${run}`);
      if (status === 200) return body;
    }
    return null;
  }

  async #budget(): Promise<Body> {
    const { caller, org } = this.#given;
    return (await caller.send("GET", `${this.#below}/budgets/${org.budgetId}`)).body;
  }

  /** Another one has forgotten what the last one had to send. */
  #runtime(): number {
    return this.#given.world.eu.pid();
  }

  #add(kind: ViolationKind, what: string): void {
    this.#given.findings.add(kind, `${this.#given.org.name}: ${what}`);
  }
}
