import { type Condition, conditionOf, Fallbacks, type NextModel } from "../adapters/fallbacks.ts";
import { begin, type GovernedCall } from "../adapters/governed-call.ts";
import { refusalOf } from "../adapters/refusal-response.ts";
import { type Admitted, type Attempt, attemptWith, ownAttempt, send } from "./attempt.ts";
import type { OwnAnswer } from "./own-answer.ts";

/** What a proxy needs of the runtime: work that goes on after the response. */
export interface Context {
  waitUntil(work: Promise<unknown>): void;
}

/** What came of one try. */
interface Tried {
  readonly answer: Response | OwnAnswer;
  readonly hasFailed: boolean;
  /** Why the next model may be tried. Null: nothing else is. */
  readonly condition: Condition | null;
}

/** One way to make the call, and the rule that led to it. Null: it is made as it was asked for. */
interface Step {
  readonly attempt: Attempt;
  readonly next: NextModel | null;
}

/**
 * Makes a call, and where a rule of its organization says so, with the next model if the one before failed. Each try is decided
 * and settled by itself. If all fail, the caller gets what it would have got without a rule. Throws `Unmetered`.
 */
export async function serve(admitted: Admitted, context: Context): Promise<Response | OwnAnswer> {
  const own = await ownAttempt(admitted);
  const by = { key: admitted.gate.key, ask: own.served.ask };
  if ("code" in own.access) return { ...own.access, by };
  const walk = new Walk(admitted, own);
  const begun = await walk.first();
  let failed: Tried | null = null;
  for (let step: Step | null = begun ?? { attempt: own, next: null }; step !== null;) {
    const tried: Tried = await tryOnce(admitted, context, { step, walk });
    if (!tried.hasFailed) return tried.answer;
    if (failed === null || step.attempt === own) failed = tried;
    const { condition } = tried;
    step = condition === null || admitted.request.signal.aborted ? null : await walk.next(condition);
  }
  if (failed === null) throw new Error("a call was not tried");
  return failed.answer instanceof Response ? failed.answer : { ...failed.answer, by };
}

async function tryOnce(
  admitted: Admitted,
  context: Context,
  { step, walk }: { readonly step: Step; readonly walk: Walk },
): Promise<Tried> {
  const { attempt } = step;
  const { access } = attempt;
  if ("code" in access) return { answer: access, hasFailed: true, condition: null };
  const { wasKnown } = walk;
  let call: GovernedCall;
  try {
    call = await decided(admitted, context, step);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return { answer: refusal, hasFailed: true, condition: conditionOf(error) };
  }
  // The first decision of a gate tells it that calls begin with another model. Nothing was sent yet.
  const other = wasKnown ? null : await walk.first();
  if (other !== null) {
    await call.drop();
    return tryOnce(admitted, context, { step: other, walk });
  }
  // A Worker ends with its caller, unless there is work that it waits for.
  context.waitUntil(call.ended);
  const { answer, failure } = await send(admitted, { ...attempt, access }, call);
  const condition = failure === "unbilled" ? "provider_error" : null;
  return { answer, hasFailed: failure !== null, condition };
}

function decided(
  { gate, options }: Admitted,
  context: Context,
  { attempt: { target, served }, next }: Step,
): Promise<GovernedCall> {
  return begin({
    gate,
    ask: { on_expiry: options.onExpiry, ...served.ask },
    metered: served.metered,
    trustsCost: options.trustsCost?.includes(target.name),
    insteadOf: next?.insteadOf,
    waitUntil: (work) => context.waitUntil(work),
  });
}

/** The ways to make a call that its rules leave, each once. */
class Walk {
  readonly #admitted: Admitted;
  readonly #own: Attempt;
  readonly #fallbacks: Fallbacks;
  readonly #tried = new Set<string>();

  constructor(admitted: Admitted, own: Attempt) {
    this.#admitted = admitted;
    this.#own = own;
    this.#fallbacks = new Fallbacks(admitted.gate, own.served.ask);
  }

  /** Whether it was known, before anything was asked, which model the call begins with. */
  get wasKnown(): boolean {
    return this.#fallbacks.isKnown;
  }

  /** Null: the call begins as it was asked for. */
  async first(): Promise<Step | null> {
    this.#tried.clear();
    const step = await this.#reachable(await this.#fallbacks.first());
    if (step !== null && step.attempt !== this.#own) return step;
    this.#tried.add(nameOf(this.#own));
    return null;
  }

  async next(condition: Condition): Promise<Step | null> {
    return this.#reachable(await this.#fallbacks.next(condition));
  }

  /** The first model from here on that the call can be made with, and was not. */
  async #reachable(from: NextModel | null): Promise<Step | null> {
    for (let next = from; next !== null; next = this.#fallbacks.skip()) {
      const attempt = next.insteadOf === undefined ? this.#own : await attemptWith(this.#admitted, next);
      if (attempt === null || this.#tried.has(nameOf(attempt))) continue;
      this.#tried.add(nameOf(attempt));
      return { attempt, next };
    }
    return null;
  }
}

function nameOf({ target, served }: Attempt): string {
  return `${target.name} ${served.ask.model}`;
}
