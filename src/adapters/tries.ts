import type { DecisionsDecideBody } from "../client/generated/types.ts";
import { type Condition, conditionOf, Fallbacks, type NextModel } from "./fallbacks.ts";
import type { CallGate, GovernedCall } from "./governed-call.ts";

/** The result of a call that was sent. */
export interface SentCall<T> {
  /** The answer. Throws what the call failed with. */
  readonly answer: () => T;
  /**
   * `unbilled`: the provider failed before it answered, and the call was settled at nothing, so it can be made elsewhere.
   * `final`: it failed because of the request, or may have been billed. Null: it did not fail.
   */
  readonly failure: "unbilled" | "final" | null;
  /** When the same call may be made again, as the provider says. Null or undefined: it is not made again. */
  readonly retryAfterMs?: number | null;
  /** For an answer that nobody gets. */
  readonly discard?: () => void;
}

/** One way to make a call. */
export interface Way<T> {
  /** No two ways with one name are tried. */
  readonly name: string;
  /** Asks for it. Rejects with what refuses it. */
  decide(next: NextModel | null): Promise<GovernedCall>;
  send(call: GovernedCall): Promise<SentCall<T>>;
  /** Other ways to call the same model, with another key or at another host. */
  readonly others?: readonly Way<T>[];
  /** Returns whether it has failed so often that another way is better. */
  readonly isPaused?: () => boolean;
}

/** A call, and how it can be made. */
export interface CallWays<T> {
  readonly gate: CallGate;
  /** The ask for the call as it came. */
  readonly ask: DecisionsDecideBody;
  readonly own: Way<T>;
  /** Null: the call cannot be made with that model. */
  readonly wayTo: (next: NextModel) => Promise<Way<T> | null>;
  /** Returns whether the caller wants no answer any more. */
  readonly isGone: () => boolean;
  /** How often a call is made again where the provider says when. Default: never. */
  readonly retries?: Retries;
}

export interface Retries {
  readonly most: number;
  readonly longestWaitMs: number;
}

interface Step<T> {
  readonly way: Way<T>;
  /** Null: the call as it came. */
  readonly next: NextModel | null;
}

interface TriedCall<T> extends SentCall<T> {
  /** Why the next model may be tried. Null: nothing else is. */
  readonly condition: Condition | null;
}

/**
 * Makes a call, and where a rule of its organization says so, with the next model if the one before failed. Each try is decided
 * and settled by itself. If all fail, the caller gets what it would have got without a rule.
 */
export async function makeCall<T>(trying: CallWays<T>): Promise<T> {
  const walk = new UntriedWays(trying);
  let step: Step<T> | null = (await walk.first()) ?? { way: trying.own, next: null };
  let failed: TriedCall<T> | null = null;
  while (step !== null) {
    const instead: Step<T> | null = arePaused(step.way) ? await walk.next("provider_error") : null;
    if (instead !== null) {
      step = instead;
      continue;
    }
    const tried: TriedCall<T> = await tryAll(walk, step, trying);
    if (tried.failure === null) {
      failed?.discard?.();
      return tried.answer();
    }
    const isKept: boolean = failed === null || step.way === trying.own;
    (isKept ? failed : tried)?.discard?.();
    if (isKept) failed = tried;
    step = tried.condition === null || trying.isGone() ? null : await walk.next(tried.condition);
  }
  if (failed === null) throw new Error("a call was not tried");
  return failed.answer();
}

function arePaused<T>({ isPaused, others = [] }: Way<T>): boolean {
  return isPaused?.() === true && others.every((other) => other.isPaused?.() === true);
}

/** Tries one model: in each of its ways, and again where its provider says when. Each try is decided and settled by itself. */
async function tryAll<T>(
  walk: UntriedWays<T>,
  { way, next }: Step<T>,
  trying: CallWays<T>,
): Promise<TriedCall<T>> {
  const { most = 0, longestWaitMs = 0 } = trying.retries ?? {};
  const all = [way, ...(way.others ?? [])];
  // Ways that fail all the time are left for last.
  const inOrder = [
    ...all.filter((one) => one.isPaused?.() !== true),
    ...all.filter((one) => one.isPaused?.()),
  ];
  let tried: TriedCall<T> | null = null;
  for (let round = 0; round <= most; round += 1) {
    let soonest = Number.POSITIVE_INFINITY;
    for (const one of inOrder) {
      tried?.discard?.();
      tried = await tryOnce(walk, { way: one, next });
      if (tried.failure !== "unbilled" || trying.isGone()) return tried;
      soonest = Math.min(soonest, tried.retryAfterMs ?? Number.POSITIVE_INFINITY);
    }
    if (round === most || soonest > longestWaitMs) break;
    await new Promise((resolve) => setTimeout(resolve, soonest));
    if (trying.isGone()) break;
  }
  if (tried === null) throw new Error("a call was not tried");
  return tried;
}

async function tryOnce<T>(walk: UntriedWays<T>, { way, next }: Step<T>): Promise<TriedCall<T>> {
  const { isKnown } = walk;
  let call: GovernedCall;
  try {
    call = await way.decide(next);
  } catch (error) {
    return { answer: thrower(error), failure: "final", condition: conditionOf(error) };
  }
  // The first decision of a gate tells it that calls begin with another model. Nothing was sent yet.
  const other = isKnown ? null : await walk.first();
  if (other !== null) {
    await call.drop();
    return tryOnce(walk, other);
  }
  const sent = await way.send(call);
  return { ...sent, condition: sent.failure === "unbilled" ? "provider_error" : null };
}

/** An answer that is an error. */
export function thrower(error: unknown): () => never {
  return () => {
    throw error;
  };
}

/** The ways to make a call that its rules leave, each once. */
class UntriedWays<T> {
  readonly #trying: CallWays<T>;
  readonly #fallbacks: Fallbacks;
  readonly #tried = new Set<string>();

  constructor(trying: CallWays<T>) {
    this.#trying = trying;
    this.#fallbacks = new Fallbacks(trying.gate, trying.ask);
  }

  /** Returns whether it is known, before anything is asked, which model the call begins with. */
  get isKnown(): boolean {
    return this.#fallbacks.isKnown;
  }

  /** Null: the call begins as it came. */
  async first(): Promise<Step<T> | null> {
    const { own } = this.#trying;
    this.#tried.clear();
    const step = await this.#reachable(await this.#fallbacks.first());
    if (step !== null && step.way !== own) return step;
    this.#tried.add(own.name);
    return null;
  }

  async next(condition: Condition): Promise<Step<T> | null> {
    return this.#reachable(await this.#fallbacks.next(condition));
  }

  /** The first model from here on that the call can be made with, and was not. */
  async #reachable(from: NextModel | null): Promise<Step<T> | null> {
    const { own, wayTo } = this.#trying;
    for (let next = from; next !== null; next = this.#fallbacks.skip()) {
      const way = next.insteadOf === undefined ? own : await wayTo(next);
      if (way === null || this.#tried.has(way.name)) continue;
      this.#tried.add(way.name);
      return { way, next };
    }
    return null;
  }
}
