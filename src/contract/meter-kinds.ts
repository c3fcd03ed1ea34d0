import type { EventKind } from "./event-kinds.ts";
import type { PERIODS } from "./lists.ts";
import type { ScopeKind } from "./scopes.ts";

/** The unit that a meter counts. Dollars are nano-dollars; `depth` is a gauge: compared, never added up. */
export type Unit = "usd" | "runs" | "tokens" | "requests" | "depth";

/** The units that a budget can count. */
export const BUDGET_UNITS = ["usd", "tokens", "runs"] as const satisfies readonly Unit[];
export type BudgetUnit = (typeof BUDGET_UNITS)[number];

/** When a meter may refuse: at the decision, or when the run is reported. */
export type Phase = "decision" | "run";

interface MeterKindRow {
  readonly unit: Unit;
  readonly phases: readonly Phase[];
  /** `chosen` by whoever creates the limit. */
  readonly period: (typeof PERIODS)[number] | "chosen";
  readonly scope: ScopeKind | "chosen";
  /** The prefix of the ids of this kind. Null if an org has only one, whose id is the kind. */
  readonly idPrefix: string | null;
  /** The refusal that it causes. */
  readonly denial: string;
  /** The event sent at the first refusal of each window. */
  readonly event: EventKind | null;
  /** The event sent when spending reaches one of the limit's alert thresholds. Null if it has none. */
  readonly alert: EventKind | null;
  /** A run takes its cost from credit packs, not from the meter itself. */
  readonly isDrawn: boolean;
}

const plan = {
  phases: ["run"],
  period: "month",
  scope: "org",
  idPrefix: null,
  event: "plan.limit_reached",
  alert: "plan.threshold_crossed",
  isDrawn: false,
} as const;
const chain = {
  phases: ["run"],
  period: "total",
  scope: "chain",
  idPrefix: null,
  event: null,
  alert: null,
  isDrawn: false,
} as const;
const dollars = { unit: "usd", phases: ["decision", "run"], isDrawn: false } as const;
const credit = { unit: "usd", period: "total", scope: "customer", event: null, isDrawn: true } as const;

/** Every kind of limit, in the order of refusal. */
export const METERS = {
  plan_runs: { ...plan, unit: "runs", denial: "plan_runs" },
  plan_tokens: { ...plan, unit: "tokens", denial: "plan_tokens" },
  chain_cost: { ...chain, unit: "usd", denial: "chain_cost" },
  chain_depth: { ...chain, unit: "depth", denial: "chain_depth" },
  chain_tokens: { ...chain, unit: "tokens", denial: "chain_tokens" },
  quota: {
    ...dollars,
    period: "total",
    scope: "org",
    idPrefix: null,
    denial: "quota",
    event: "quota.exhausted",
    alert: "quota.threshold_crossed",
  },
  spend_cap: {
    ...dollars,
    period: "day",
    scope: "org",
    idPrefix: null,
    denial: "spend_cap",
    event: "spend_cap.exceeded",
    alert: "spend_cap.threshold_crossed",
  },
  budget: {
    ...dollars,
    period: "chosen",
    scope: "chosen",
    idPrefix: "bud",
    denial: "budget",
    event: "budget.exceeded",
    alert: "budget.threshold_crossed",
  },
  customer_limit: {
    ...dollars,
    period: "chosen",
    scope: "customer",
    idPrefix: "clm",
    denial: "budget",
    event: "customer_limit.exceeded",
    alert: "customer_limit.threshold_crossed",
  },
  credits: { ...credit, phases: ["run"], idPrefix: null, denial: "credits", alert: null },
  credit_pack: {
    ...credit,
    phases: [],
    idPrefix: "pack",
    denial: "credits",
    alert: "credit_pack.threshold_crossed",
  },
} as const satisfies Record<string, MeterKindRow>;

type Rows = typeof METERS;
export type MeterKind = keyof Rows;
export type DenialKind = Rows[MeterKind]["denial"];
type KindWith<Part> = { [Kind in MeterKind]: Rows[Kind] extends Part ? Kind : never }[MeterKind];

/** Kinds of which an org can have many, each with its own id. */
export type ManyKind = KindWith<{ readonly idPrefix: string }>;
export type OnlyKind = Exclude<MeterKind, ManyKind>;
export type MeterIdPrefix = Rows[ManyKind]["idPrefix"];

export const METER_KINDS = Object.keys(METERS) as readonly MeterKind[];

/** The row of a kind, if any kind is accepted. */
export function meterRowOf(kind: MeterKind): MeterKindRow & { readonly denial: DenialKind } {
  return METERS[kind];
}

/** The kind of a limit, by its id. The limit may no longer exist. */
export function meterKindOf(id: string): MeterKind | null {
  if (Object.hasOwn(METERS, id)) return id as MeterKind;
  const prefix = id.slice(0, id.indexOf("_"));
  return METER_KINDS.find((kind) => meterRowOf(kind).idPrefix === prefix) ?? null;
}

/**
 * Returns whether it counts the sum of its runs. Otherwise each run is judged alone, by its depth or by what the packs
 * have left.
 */
export function isAddedUp(kind: MeterKind): boolean {
  const { unit, isDrawn } = METERS[kind];
  return unit !== "depth" && !isDrawn;
}
