import { Refused } from "../client/errors.ts";
import type { DecisionsDecideBody, FallbackRule } from "../client/generated/types.ts";
import type { RUN_CODES } from "../contract/limit-codes.ts";
import { isLostAnswer } from "./lost-call.ts";
import type { CallGate, InsteadOf } from "./governed-call.ts";

/** A reason for which a call goes on to the next model. */
export type Condition = FallbackRule["on"][number];

/** The codes of limits. A new one does not compile until it is here. */
const LIMITS = {
  rate_limited: true,
  plan_limit_exceeded: true,
  chain_budget_exceeded: true,
  quota_exhausted: true,
  spend_cap_exceeded: true,
  budget_exceeded: true,
  credits_exhausted: true,
} as const satisfies Record<(typeof RUN_CODES)[number] | "rate_limited", true>;

/**
 * The condition of a refusal, if a fallback can do something about it. Null for all else: a key that has ended, a
 * policy, a detector or a malformed call would be got around by another model.
 */
export function conditionOf(error: unknown): Condition | null {
  if (!(error instanceof Refused)) return null;
  if (Object.hasOwn(LIMITS, error.code)) return "limit";
  if (error.code !== "validation_failed") return null;
  const { fields } = error.details as { fields?: readonly { readonly code?: unknown }[] };
  return fields?.length === 1 && fields[0]?.code === "no_price" ? "no_price" : null;
}

/**
 * Returns whether the same request may pass elsewhere, by the status of an answer: the provider is busy, broken, does
 * not take our key, or sends us away. An answer that was lost may have been billed, and is not asked for again. A key that the caller brought is the caller's to mend.
 */
export function isProvidersFault(status: number, isCallersKey: boolean): boolean {
  if (status === 401 || status === 402) return !isCallersKey;
  return !isLostAnswer(status) && (status >= 500 || status === 429 || status < 400);
}

/** A model's name as headers have it: one that is not printable ASCII is percent-encoded. */
export function modelText(model: string): string {
  return /^[\x21-\x7e]+$/.test(model) ? model : encodeURIComponent(model.toWellFormed());
}

/** A model to try in place of the one that was asked for. */
export interface NextModel {
  readonly model: string;
  /** Null: the provider of the call. */
  readonly provider: string | null;
  /** Undefined: it is the one that was asked for, after all. */
  readonly insteadOf: InsteadOf | undefined;
  /** Each try is a decision of its own. */
  readonly requestId: string | undefined;
}

/**
 * The models that a call is tried with after its own, by the rules of its organization. One rule acts: the first by name whose
 * condition came up. Its list is walked once, and rules for models of the list are not followed, so no rules can make a loop.
 */
export class Fallbacks {
  readonly #gate: CallGate;
  readonly #ask: DecisionsDecideBody;
  #rule: FallbackRule | null = null;
  #left: FallbackRule["then"] = [];
  #tries = 0;

  constructor(gate: CallGate, ask: DecisionsDecideBody) {
    this.#gate = gate;
    this.#ask = ask;
  }

  /** Returns whether the first model of the call is known. If not, its first decision tells. */
  get isKnown(): boolean {
    return this.#gate.beginsWithFallbacks !== null;
  }

  /** The model to begin with, because budgets are used up to a share. Null: the call's own. */
  async first(): Promise<NextModel | null> {
    if (this.#gate.beginsWithFallbacks !== true) return null;
    const rule = (await this.#rules()).find(({ begins }) => begins);
    const { model } = this.#ask;
    if (rule === undefined || model === undefined) return null;
    this.#rule = rule;
    // There is room left for the call's own model if no other serves it.
    this.#left = [...rule.then, { model, provider: null }];
    return this.#take();
  }

  /** The model to try after a failure. Null: there is none. */
  async next(condition: Condition): Promise<NextModel | null> {
    if (this.#rule === null) {
      const rule = (await this.#rules()).find(({ on }) => on.includes(condition));
      if (rule === undefined) return null;
      this.#rule = rule;
      this.#left = rule.then;
    }
    return this.#rule.on.includes(condition) ? this.#take() : null;
  }

  /** The model after one that cannot be tried: nothing was asked for it. */
  skip(): NextModel | null {
    return this.#take();
  }

  async #rules(): Promise<readonly FallbackRule[]> {
    return (await this.#gate.fallbacksOf?.(this.#ask)) ?? [];
  }

  #take(): NextModel | null {
    const [next, ...left] = this.#left;
    if (next === undefined || this.#rule === null) return null;
    this.#left = left;
    this.#tries += 1;
    const { model: requested_model = "", request_id: id } = this.#ask;
    const isOwn = next.model === requested_model && next.provider === null;
    return {
      ...next,
      insteadOf: isOwn ? undefined : { requested_model, fallback: this.#rule.name },
      requestId: id === undefined ? undefined : requestIdOf(id, this.#tries),
    };
  }
}

const MOST_ID_CHARACTERS = 128;

/** The same for the same try of the same request, where it fits. */
function requestIdOf(id: string, tries: number): string {
  const own = `${id}~${tries}`;
  return own.length > MOST_ID_CHARACTERS ? crypto.randomUUID() : own;
}
