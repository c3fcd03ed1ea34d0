import { createGate, type EmbeddedGate } from "../../src/client/gate/index.ts";
import { Caller } from "./caller.ts";
import type { Findings } from "./findings.ts";
import { inTime } from "./in-time.ts";
import type { Traffic } from "./traffic.ts";
import { inNanos, inUsd, type Org, type World } from "./world.ts";

const LIMIT_NANOS = 4_000_000;
const CALL_NANOS = 1000;
const WARMING_CALLS = 12;
/** On a busy machine, slices are over before all have some. */
const MOST_WARMINGS = 8;
const MOST_TRIES = 4;
const TAKEN_FROM = 2;
const LAST_CALLS = 24;
const GATES = 2;
const ALONE_MS = 20_000;
const CLOSING_SECONDS = 30;
/** So long that the object decides. */
const LONG_SECONDS = 3600;

/** What becomes of a limit of which all have slices: somebody takes the rest of it, it is lowered, or the key that they use is revoked. */
const TURNS = ["taken", "lowered", "revoked", "taken"] as const;

/** Asks for so much, and says whether it was allowed. A call without an answer was not, as far as anybody can use it. */
type Asks = (nanos: number, more?: object) => Promise<boolean>;

interface Crowded {
  readonly world: World;
  readonly org: Org;
  readonly traffic: Pick<Traffic, "answers" | "isOver">;
  readonly findings: Findings;
}

/**
 * Many calls of one limit from every isolate and from gates, again and again: all of them get slices, then something happens to the limit
 * or to their key, and then all use what they have. Together they never get more than they may.
 */
export async function crowd(crowded: Crowded): Promise<void> {
  for (let round = 0; !crowded.traffic.isOver; round += 1) await new CrowdRound(crowded, round).run();
}

/** Before there is other work and any fault: on a busy machine, slices are over before they are used otherwise. */
export async function crowdAlone({ world, org, findings }: Omit<Crowded, "traffic">): Promise<void> {
  const traffic = { answers: 0, isOver: false };
  const timer = setTimeout(() => (traffic.isOver = true), world.pace.ms(ALONE_MS));
  const crowded = { world, org, findings, traffic };
  for (let round = 0; round < TURNS.length && !traffic.isOver; round += 1) {
    await new CrowdRound(crowded, round).run();
  }
  clearTimeout(timer);
}

class CrowdRound {
  readonly #crowded: Crowded;
  readonly #round: number;
  readonly #workflow = `crowd-${crypto.randomUUID()}`;
  #admitted = 0;
  /** Calls that isolates have decided from their slices. */
  #decidedThere = 0;

  constructor(crowded: Crowded, round: number) {
    this.#crowded = crowded;
    this.#round = round;
  }

  get #turnNow(): (typeof TURNS)[number] {
    return TURNS[this.#round % TURNS.length] ?? "taken";
  }

  async run(): Promise<void> {
    const { world, org, traffic } = this.#crowded;
    const below = `/v1/orgs/${org.id}`;
    const made = await org.caller.send("POST", `${below}/keys`, { name: "crowd", role: "developer" });
    const { id, key } = made.body as { id: string; key: string };
    world.secrets.set(key, "a key of the crowd");
    const limit = { scope_kind: "workflow", scope_id: this.#workflow, limit_usd: inUsd(LIMIT_NANOS) };
    const budget = await org.caller.send("POST", `${below}/budgets`, { ...limit, period: "total" });
    const paths = { budget: `${below}/budgets/${String(budget.body["id"])}`, key: `${below}/keys/${id}` };
    const callers = world.eu.server.urls.map((url) =>
      this.#overHttp(new Caller([url], key, { pace: world.pace })),
    );
    const gates = Array.from({ length: GATES }, () => createGate({ url: world.links[2].url, key }));
    const [taker = this.#overHttp(org.caller), ...others] = callers;
    // Few of them, where slices must outlive that somebody takes the rest.
    const users =
      this.#turnNow === "taken"
        ? others.slice(0, TAKEN_FROM)
        : [...callers, ...gates.map((gate) => this.#inGate(gate))];
    await this.#warm(users);
    if (!traffic.isOver) await this.#turn({ taker, users }, paths);
    const closed = Promise.all(gates.map((gate) => gate.close().catch(() => undefined)));
    const { pace } = world;
    await inTime({ pace, seconds: CLOSING_SECONDS, what: () => "gates that are closed" }, closed);
  }

  /** Until isolates decide from slices that they have just got. */
  async #warm(users: readonly Asks[]): Promise<void> {
    for (let warmings = 0; warmings < MOST_WARMINGS && !this.#crowded.traffic.isOver; warmings += 1) {
      const before = this.#decidedThere;
      await Promise.all(users.map((asks) => several(asks, WARMING_CALLS)));
      if (this.#decidedThere >= before + WARMING_CALLS) return;
    }
  }

  async #turn(
    { taker, users }: { readonly taker: Asks; readonly users: readonly Asks[] },
    paths: { readonly budget: string; readonly key: string },
  ): Promise<void> {
    const { org, findings } = this.#crowded;
    const turn = this.#turnNow;
    if (turn === "taken") await this.#takeTheRest(taker, paths.budget);
    else if (turn === "lowered") await org.caller.send("PATCH", paths.budget, { limit_usd: inUsd(1) });
    else if (turn === "revoked") await org.caller.send("DELETE", paths.key);
    const before = this.#admitted;
    await Promise.all(users.map((asks) => several(asks, LAST_CALLS)));
    const since = this.#admitted - before;
    if (this.#admitted > LIMIT_NANOS) {
      const what = `${this.#admitted} nano-dollars were admitted together where ${LIMIT_NANOS} is the limit`;
      findings.add("overspent limit", what);
    }
    if (turn === "lowered" && since > 0) {
      findings.add("overspent limit", `${since} nano-dollars were admitted after a limit was lowered`);
    }
    if (turn === "revoked" && since > 0) {
      findings.add("skipped check", `${since} nano-dollars were admitted to a key that was revoked`);
    }
  }

  #estimate(nanos: number) {
    return { workflow_id: this.#workflow, estimate: { cost_usd: inUsd(nanos) } };
  }

  #admit(nanos: number): boolean {
    this.#admitted += nanos;
    this.#crowded.traffic.answers += 1;
    return true;
  }

  #overHttp(caller: Caller): Asks {
    return async (nanos, more = {}) => {
      const answer = await caller.try("POST", "/v1/edge/decision", { ...this.#estimate(nanos), ...more });
      if (answer?.decided === "edge") this.#decidedThere += 1;
      return answer?.status === 200 && this.#admit(nanos);
    };
  }

  #inGate(gate: EmbeddedGate): Asks {
    return async (nanos) => {
      const allowed = await gate.decide(this.#estimate(nanos)).catch(() => null);
      return allowed !== null && this.#admit(nanos);
    };
  }

  /** All that nobody has, at once: slices are good for a moment only. Reports that come meanwhile leave less. */
  async #takeTheRest(taker: Asks, budget: string): Promise<void> {
    const { org, traffic } = this.#crowded;
    for (let tries = 0; tries < MOST_TRIES && !traffic.isOver; tries += 1) {
      const { body } = await org.caller.send("GET", budget);
      const left = LIMIT_NANOS - inNanos(body["spent_usd"]) - inNanos(body["reserved_usd"]);
      if (left <= 0 || (await taker(left, { hold_seconds: LONG_SECONDS }))) return;
    }
  }
}

/** At once: slices are good for two seconds, also on a busy machine. */
async function several(asks: Asks, calls: number): Promise<void> {
  await Promise.all(Array.from({ length: calls }, () => asks(CALL_NANOS)));
}
