import type { DecisionAsk } from "../../gate/decision/ask.ts";
import { EXPIRED_HOLD_KEPT_MS } from "../../domain/run/retention.ts";
import type { ReservedNames } from "../../domain/reservation/reserved-names.ts";
import type { HoldRow } from "./table.ts";

/**
 * The part of a call that is stored with its hold: for its run, for the run that it may become and for its renewal. Its
 * input never is.
 */
export interface HoldRequest {
  readonly ask: Omit<DecisionAsk, "input" | "request_id" | "dry_run">;
  /** The chain that the call named, where nobody checked its place in it. */
  readonly chainId?: string | undefined;
  /** The key that asked. Missing if no key did. */
  readonly keyId?: string | undefined;
  readonly depth: number;
  /** True if the hold becomes a run where nobody settles it. */
  readonly isCharged: boolean;
  readonly estimate?: HoldEstimate;
}

/** The run that a hold has become, and what it drew of which credit packs. */
interface HoldEstimate {
  readonly runId: string;
  readonly draws: Readonly<Record<string, string>>;
}

/** The model of a run whose reservation named none. */
export const NO_MODEL = "unknown";

export function holdRequestOf({ asked }: Pick<HoldRow, "asked">): HoldRequest | null {
  return asked === null ? null : (JSON.parse(asked) as HoldRequest);
}

export function writeHoldRequest(
  { input: _input, request_id: _request, dry_run: _dry, ...ask }: DecisionAsk,
  rest: Omit<HoldRequest, "ask">,
): string {
  const request: HoldRequest = { ask, ...rest };
  return JSON.stringify(request);
}

/** The names under which a hold was made, and its estimate. What is not known was not named. */
export function reservedCallOf(hold: Pick<HoldRow, "asked" | "customer_id">): ReservedCall {
  const request = holdRequestOf(hold);
  if (request === null) return { customer_id: hold.customer_id ?? undefined, estimate: {} };
  const { ask, chainId } = request;
  return chainId === undefined ? ask : { ...ask, chain: { chain_id: chainId } };
}

type ReservedCall = ReservedNames & Pick<DecisionAsk, "estimate">;

/** The run that stands in for the one that nobody has reported; null if there is none. */
export function estimateIn(hold: Pick<HoldRow, "asked" | "status">): HoldEstimate | null {
  return hold.status === "expired" ? (holdRequestOf(hold)?.estimate ?? null) : null;
}

/** Returns whether a run that names the hold now comes too late to take the place of the estimate, which stays. */
export function isFinal(hold: Pick<HoldRow, "asked" | "status" | "expires_at">, now: number): boolean {
  return estimateIn(hold) !== null && now >= hold.expires_at + EXPIRED_HOLD_KEPT_MS;
}
