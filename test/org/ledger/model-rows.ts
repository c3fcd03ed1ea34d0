/** The rows of the model. */

export type Period = "day" | "week" | "month" | "quarter" | "year" | "total";

export interface Limit {
  readonly id: string;
  readonly kind:
    | "budget"
    | "customer_limit"
    | "spend_cap"
    | "quota"
    | "plan_runs"
    | "plan_tokens"
    | "chain_cost"
    | "chain_tokens"
    | "chain_depth";
  readonly scopeKind: "org" | "workflow" | "customer" | "chain" | "match";
  readonly scopeId: string;
  limit: bigint | null;
  period: Period;
  /** Added to UTC before the day is computed. */
  zoneMs: number;
  mode: "enforce" | "shadow" | "count";
  /** The step that created it. */
  readonly born: number;
  /** Which calls a budget applies to, and which of them it counts together. */
  readonly match?: { readonly [Name in ModelName]?: readonly string[] };
  readonly groupBy?: readonly ModelName[];
  readonly unit?: "usd" | "tokens" | "runs";
  /** The day on which its weeks or months begin. */
  anchorDay?: number | undefined;
}

/** What a budget can match in the model. */
export type ModelName = "workflow" | "customer" | "user" | "team";

export interface Pack {
  readonly id: string;
  readonly customer: string;
  readonly amount: bigint;
  readonly priority: number;
  readonly expiresHour: number | null;
  voided: boolean;
  readonly age: number;
}

export interface Scopes {
  readonly workflow?: string;
  readonly customer?: string;
  readonly chain?: string;
  readonly user?: string;
  /** A tag. */
  readonly team?: string;
}

export interface ModelRun {
  readonly id: string;
  readonly scopes: Scopes;
  readonly hour: number;
  readonly cost: bigint;
  readonly tokens: bigint;
  readonly depth: number;
  /** Ids of the limits it was charged to. */
  charged: readonly string[];
  /** What the hold that it settles was made for, in the limits of that hold. */
  readonly heldFor: { readonly scopes: Scopes; readonly limits: readonly string[] };
  readonly draws: ReadonlyMap<string, bigint>;
  /** What live packs could not cover. */
  readonly uncovered: bigint;
}

/** Negative if given back. */
export interface ModelAdjustment {
  readonly run: ModelRun;
  readonly hour: number;
  readonly amount: bigint;
  charged: readonly string[];
  readonly draws: ReadonlyMap<string, bigint>;
  readonly uncovered: bigint;
}

export interface ModelHold {
  readonly id: string;
  readonly attempt: Attempt;
  readonly phase: Phase;
  readonly hour: number;
  /** The step that created it. */
  readonly born: number;
  readonly expiresHour: number;
  /** What it reserves of which credit packs. */
  readonly packs: ReadonlyMap<string, bigint>;
  /** Becomes a run where nobody settles it. */
  readonly charge: boolean;
  held: readonly string[];
  status: "open" | "settled" | "released" | "expired";
  /** When it was settled or released. */
  endedHour: number | null;
  /** What was asked with which request id, and the answer. */
  readonly request: { readonly ask: RequestAsk; readonly body: unknown } | null;
}

export type SettledHold = Pick<ModelHold, "attempt" | "phase" | "hour" | "held" | "born">;

export type RequestAsk = { readonly request_id: string } & Readonly<Record<string, unknown>>;

export interface Attempt {
  readonly scopes: Scopes;
  readonly cost: bigint;
  readonly tokens: bigint;
  readonly depth: number;
}

/** Which limits are checked: those of a decision only, or all limits of a run. */
export type Phase = "run" | "decision";

/** The part of one fact that was past one limit. */
export interface OverLimit {
  readonly run: string;
  readonly limit: string;
  readonly window: string;
  readonly amount: bigint;
}

export type Verdict = { readonly refusedBy: Limit | "credits" | null };
