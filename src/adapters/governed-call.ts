import type { DecisionsDecideBody } from "../client/generated/types.ts";
import type { Allowed, EmbeddedGate, SettledRun } from "../client/gate/embedded-gate.ts";
import { type Charge, chargeOf, reservedCharge, type ReservedOutput } from "../providers/charge.ts";
import { boundToWrite, maxPriceOf, type MeteredCall } from "../providers/metering.ts";
import type { Bounds, Usage } from "../providers/provider-api.ts";
import { plainTraceParent } from "../domain/text/traceparent.ts";
import { Unmetered } from "../providers/unmetered.ts";
import type { Reading } from "../providers/usage/reading.ts";

/** The methods of a gate that the adapters need. */
export type CallGate = Pick<EmbeddedGate, "decide" | "settle" | "release" | "knownFacts"> &
  Partial<Pick<EmbeddedGate, "fallbacksOf" | "beginsWithFallbacks">>;

/** Whom and what a call is for. */
export type CallFields = Omit<DecisionsDecideBody, "estimate" | "dry_run">;

/** A call to be decided. */
export interface Call {
  readonly gate: CallGate;
  readonly ask: DecisionsDecideBody;
  /** Null: the call costs its estimate, whatever its answer says. */
  readonly metered: MeteredCall | null;
  /** True if the request carries the bound on its output. Default: true. */
  readonly isBound?: boolean | undefined;
  /** True if the call goes to an address that is not known to be the provider's own: what it says above the bound is cut. */
  readonly isOtherHost?: boolean | undefined;
  /** True if a cost in dollars that the provider tells is taken for true. */
  readonly trustsCost?: boolean | undefined;
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /** The model that was asked for, and the fallback that chose this one. Undefined: it is what was asked for. */
  readonly insteadOf?: InsteadOf | undefined;
  /** The `traceparent` header of the request that the call is made for. */
  readonly traceparent?: string | null | undefined;
}

export interface InsteadOf {
  readonly requested_model: string;
  readonly fallback: string;
}

type Outcome = "completed" | "cancelled" | "failed" | "unknown";

/** Asks for a call. Rejects with what refused it. */
export async function begin(call: Call): Promise<GovernedCall> {
  const startedAt = new Date().toISOString();
  // A call whose run never comes is charged: it may have reached the provider.
  const ask = stated({ ...call.ask, on_expiry: call.ask.on_expiry ?? "charge" });
  const allowed = await decide(call, ask);
  return new GovernedCall({ ...call, ask, traceparent: traceOf(call) }, allowed, startedAt);
}

/**
 * The text of a call is sent only where content rules read it. A gate that has not heard from the service lately learns with the
 * decision whether they do, and then asks once more.
 */
async function decide(call: Call, ask: DecisionsDecideBody): Promise<Allowed> {
  const { gate, metered, waitUntil, traceparent } = call;
  const texts = metered?.request.texts ?? [];
  const isRead = () => texts.length > 0 && readsInput(gate, ask);
  const withText = () => gate.decide({ ...ask, input: bounded(texts) }, { waitUntil, traceparent });
  if (isRead()) return withText();
  const allowed = await gate.decide(ask, { waitUntil, traceparent });
  if (!isRead()) return allowed;
  await gate.release(allowed);
  return withText();
}

function readsInput({ knownFacts }: CallGate, ask: DecisionsDecideBody): boolean {
  return knownFacts?.scansInput === true && (ask.checks ?? knownFacts.checks) === "all";
}

/** The most text that is sent to be read. */
const MOST_TEXT_CHARACTERS = 2_000_000;

function bounded(texts: readonly string[]): readonly string[] {
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  if (characters <= MOST_TEXT_CHARACTERS) return texts;
  throw new Unmetered(413, "The text of the call is longer than content rules read, so it is not passed on.");
}

/** Without members that are undefined: a gate takes any member for something that is asked. */
function stated(ask: DecisionsDecideBody): DecisionsDecideBody {
  return JSON.parse(JSON.stringify(ask)) as DecisionsDecideBody;
}

/** A call whose `traceparent` is one that its run can name. */
type TracedCall = Call & { readonly traceparent: string | undefined };

/** A call that was allowed. It is settled once, by whichever end comes first. */
export class GovernedCall {
  readonly runId: string = crypto.randomUUID();
  readonly allowed: Allowed;
  readonly #call: TracedCall;
  readonly #startedAt: string;
  #hasEnded = false;
  #resolve: () => void = () => undefined;
  /** Resolves when the call is settled. */
  readonly ended: Promise<void> = new Promise((resolve) => (this.#resolve = resolve));

  constructor(call: TracedCall, allowed: Allowed, startedAt: string) {
    this.#call = call;
    this.allowed = allowed;
    this.#startedAt = startedAt;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Returns whether its answer says what it costs. */
  get isMetered(): boolean {
    return this.#call.metered !== null;
  }

  get isStream(): boolean {
    return this.#call.metered?.request.isStream === true;
  }

  /** The bound on each answer's output that the request must carry. Null: it has one, or needs none. */
  get outputBound(): number | null {
    const { metered } = this.#call;
    return metered === null ? null : boundToWrite(metered, this.allowed.reservation?.max_output_tokens);
  }

  /** All bounds that the request must carry. */
  get bounds(): Pick<Bounds, "maxOutputTokens" | "maxPrice"> {
    const { metered, ask } = this.#call;
    const { reservation } = this.allowed;
    // An amount that the caller states says nothing of rates.
    const isByTokens = metered !== null && reservation && ask.estimate?.cost_usd === undefined;
    return {
      maxOutputTokens: this.outputBound,
      maxPrice: isByTokens ? maxPriceOf(metered, reservation) : null,
    };
  }

  /** The answer is complete. */
  finish(reading: Reading | null): void {
    this.#settle(this.#charge(reading, true), reading?.hasFailed === true ? "failed" : "completed");
  }

  /** Whoever asked does not want the rest, and the provider was stopped. */
  cancel(reading: Reading | null): void {
    if (reading?.isDone === true) this.finish(reading);
    else this.#settle(this.#charge(reading, false), "cancelled");
  }

  /** The provider broke off in the middle, or was stopped because it took too long. */
  breakOff(reading: Reading | null): void {
    this.#settle(this.#charge(reading, false), "failed");
  }

  /** It was sent, and its answer was lost: whatever was reserved may have been billed. */
  lose(): void {
    const { ask, metered } = this.#call;
    const charge =
      metered === null
        ? { usage: NOTHING, cost_usd: ask.estimate.cost_usd, estimated: true }
        : reservedCharge(metered, this.#reserved(metered));
    this.#settle(charge, "unknown");
  }

  /** Nothing was sent: what was reserved is given back, or at least not charged. */
  async drop(): Promise<void> {
    if (this.#hasEnded) return;
    try {
      await this.#call.gate.release(this.allowed);
    } catch {
      this.fail();
      return;
    }
    this.#hasEnded = true;
    this.#resolve();
  }

  /** The provider refused the call or could not be reached, and charges nothing for it. */
  fail(): void {
    this.#settle({ usage: NOTHING, cost_usd: "0", estimated: false }, "failed");
  }

  /** Settles it with a usage that the caller knows. */
  settle(run: Partial<SettledRun> & { readonly usage: Usage }): void {
    this.#settle({ ...run, estimated: run.estimated ?? false }, "completed");
  }

  #charge(reading: Reading | null, isWhole: boolean): Charge {
    const { ask, metered, trustsCost = false, isOtherHost = false } = this.#call;
    if (metered === null) return { usage: NOTHING, cost_usd: ask.estimate.cost_usd, estimated: true };
    return chargeOf(metered, this.#reserved(metered), { reading, isWhole, isOtherHost }, trustsCost);
  }

  #reserved({ estimate }: MeteredCall): ReservedOutput {
    const { reservation } = this.allowed;
    const { max_output_tokens: outputTokens = estimate.max_output_tokens } = reservation ?? {};
    return { outputTokens, isBound: this.#call.isBound ?? true, amountUsd: reservation?.amount_usd };
  }

  #settle(run: Partial<SettledRun> & Charge, outcome: Outcome): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#resolve();
    const { gate, ask, waitUntil, insteadOf, traceparent } = this.#call;
    if (isFree(this.#call)) {
      this.#inBackground(gate.release(this.allowed));
      return;
    }
    const settled = {
      id: this.runId,
      ...attributionOf(ask),
      ...(traceparent === undefined ? {} : { traceparent }),
      started_at: this.#startedAt,
      ended_at: new Date().toISOString(),
      model: ask.model ?? "unknown",
      ...insteadOf,
      outcome,
      ...run,
    };
    gate.settle(this.allowed, settled, { waitUntil });
  }

  #inBackground(work: Promise<unknown>): void {
    const quiet = work.catch(() => undefined);
    this.#call.waitUntil?.(quiet);
  }
}

const NOTHING: Usage = { input_tokens: 0, output_tokens: 0 };

/** Nothing was reserved, and there is nothing to record. */
function isFree({ ask, metered }: Call): boolean {
  return metered === null && Number(ask.estimate.cost_usd) === 0;
}

/** The caller's span, where the organization has its runs sent on as spans. Known with the decision, and perhaps not later. */
function traceOf({ gate, traceparent = null }: Call): string | undefined {
  return gate.knownFacts?.sendsSpans === true ? plainTraceParent(traceparent) : undefined;
}

type AttributionField = Exclude<
  keyof DecisionsDecideBody & keyof SettledRun,
  "model" | "approval_id" | "input"
>;

/** The fields of the decision that its run repeats. The type keeps the list complete. */
function attributionOf(ask: DecisionsDecideBody): Partial<SettledRun> {
  return {
    action: ask.action,
    workflow_id: ask.workflow_id,
    deployment_id: ask.deployment_id,
    department_id: ask.department_id,
    customer_id: ask.customer_id,
    user_id: ask.user_id,
    provider: ask.provider,
    tags: ask.tags,
    chain: ask.chain,
    variant: ask.variant,
  } satisfies Record<AttributionField, unknown>;
}
