import type { DecisionsDecideBody } from "../client/generated/types.ts";
import type { Allowed, EmbeddedGate, SettledRun } from "../client/gate/embedded-gate.ts";
import type { Expected } from "./estimate.ts";
import type { Usage } from "./usage/provider-usage.ts";
import type { Reading } from "./usage/reading.ts";

/** What the adapters need of a gate. */
export type CallGate = Pick<EmbeddedGate, "decide" | "settle" | "release" | "flush">;

/** Whom and what a call is for. */
export type CallFields = Omit<DecisionsDecideBody, "estimate" | "dry_run">;

/** A call to be decided. */
export interface Call {
  readonly gate: CallGate;
  readonly ask: DecisionsDecideBody;
  /** Null: nothing is known but its estimate, which is then also what it costs. */
  readonly expected: Expected | null;
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

type Outcome = "completed" | "cancelled" | "failed";

/** What a call cost, and whether that is an estimate. */
type Cost = Pick<SettledRun, "usage" | "cost_usd"> & { readonly estimated?: boolean | undefined };

/** Asks for a call. Rejects with what refused it. */
export async function begin(call: Call): Promise<GovernedCall> {
  const startedAt = new Date().toISOString();
  const ask = stated(call.ask);
  const allowed = await call.gate.decide(ask, { waitUntil: call.waitUntil });
  return new GovernedCall({ ...call, ask }, allowed, startedAt);
}

/** Without members that are undefined: a gate takes any member for something that is asked. */
function stated(ask: DecisionsDecideBody): DecisionsDecideBody {
  return JSON.parse(JSON.stringify(ask)) as DecisionsDecideBody;
}

/** A call that was allowed. It is settled once, by whichever end comes first. */
export class GovernedCall {
  readonly runId: string = crypto.randomUUID();
  readonly allowed: Allowed;
  readonly #call: Call;
  readonly #startedAt: string;
  #hasEnded = false;
  #resolve: () => void = () => undefined;
  /** Resolves when the call is settled. */
  readonly ended: Promise<void> = new Promise((resolve) => (this.#resolve = resolve));

  constructor(call: Call, allowed: Allowed, startedAt: string) {
    this.#call = call;
    this.allowed = allowed;
    this.#startedAt = startedAt;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether only the end of its answer says what it cost: it is counted in tokens, and is no stream. */
  get isToldAtEnd(): boolean {
    return this.#call.expected?.isStream === false;
  }

  /** The answer is complete. */
  finish(reading: Reading | null): void {
    this.#settle(this.#cost(reading), reading?.hasFailed === true ? "failed" : "completed");
  }

  /** Whoever asked does not want the rest. */
  cancel(reading: Reading | null): void {
    if (reading?.isDone === true) {
      this.finish(reading);
      return;
    }
    this.#settle(this.#cost(reading), "cancelled");
  }

  /** The provider broke off in the middle. */
  breakOff(reading: Reading | null): void {
    this.#settle(this.#cost(reading), "failed");
  }

  /** The provider refused the call or could not be reached, and charges nothing for it. */
  fail(): void {
    this.#settle({ usage: { input_tokens: 0, output_tokens: 0 }, cost_usd: "0" }, "failed");
  }

  /** Settles it with a usage that the caller knows. */
  settle(run: Partial<SettledRun> & { readonly usage: Usage }): void {
    this.#settle(run, "completed");
  }

  /** What the answer cost: as the provider says, else by what was seen of it, else what was reserved. */
  #cost(reading: Reading | null): Cost {
    const { ask, expected } = this.#call;
    if (expected === null) {
      const { cost_usd } = ask.estimate;
      return { usage: { input_tokens: 0, output_tokens: 0 }, cost_usd, estimated: true };
    }
    if (reading?.isWhole && reading.usage !== null) return { usage: reading.usage };
    const input = { ...(reading?.usage ?? { input_tokens: expected.likelyInputTokens }) };
    const { output_tokens: told = 0 } = reading?.usage ?? {};
    const usage = { ...input, output_tokens: Math.max(told, reading?.countedOutput ?? 0) };
    if (reading?.isStream ?? expected.isStream) return { usage, estimated: true };
    return { usage, cost_usd: this.allowed.reservation?.amount_usd, estimated: true };
  }

  #settle({ estimated = false, ...run }: Partial<SettledRun> & Cost, outcome: Outcome): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#resolve();
    const { gate, ask, waitUntil } = this.#call;
    if (isNothing(this.#call)) {
      this.#inBackground(gate.release(this.allowed));
      return;
    }
    gate.settle(this.allowed, {
      id: this.runId,
      ...attributionOf(ask),
      started_at: this.#startedAt,
      ended_at: new Date().toISOString(),
      model: ask.model ?? "unknown",
      outcome,
      estimated,
      ...run,
    });
    if (waitUntil !== undefined) this.#inBackground(gate.flush());
  }

  #inBackground(work: Promise<unknown>): void {
    const quiet = work.catch(() => undefined);
    this.#call.waitUntil?.(quiet);
  }
}

/** Nothing was reserved, and there is nothing to record. */
function isNothing({ ask, expected }: Call): boolean {
  return expected === null && Number(ask.estimate.cost_usd) === 0;
}

/** What a run repeats of its decision. */
const ATTRIBUTION = [
  "action",
  "workflow_id",
  "deployment_id",
  "department_id",
  "customer_id",
  "user_id",
  "provider",
  "tags",
  "chain",
  "variant",
] as const;

function attributionOf(ask: DecisionsDecideBody): Partial<SettledRun> {
  return Object.fromEntries(ATTRIBUTION.map((name) => [name, ask[name]]));
}
