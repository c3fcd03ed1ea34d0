import { KINDS, type Phase } from "./kinds.ts";
import { METER_KINDS, type Meter, type ScopeKind } from "./meter.ts";

/** What an attempt says about itself that a meter's scope can match. */
export interface Scopes {
  readonly department?: string | undefined;
  readonly workflow?: string | undefined;
  readonly deployment?: string | undefined;
  readonly customer?: string | undefined;
  readonly chain?: string | undefined;
}

export interface Touched {
  readonly meter: Meter;
  readonly subject: string;
}

/** Budgets refuse in this order of their scopes. */
const SCOPE_ORDER: readonly ScopeKind[] = [
  "org",
  "department",
  "workflow",
  "deployment",
  "customer",
  "chain",
];
const RANK = Object.fromEntries(
  METER_KINDS.map((kind, k) => [
    kind,
    Object.fromEntries(SCOPE_ORDER.map((scope, s) => [scope, k * 10 + s])),
  ]),
) as Record<Meter["kind"], Record<ScopeKind, number>>;

/** Indexes the org's meters by what they match, so that the cost depends on how many apply, not on how many exist. */
export type MeterIndex = ReadonlyMap<ScopeKind, ReadonlyMap<string, readonly Meter[]>>;

export function indexMeters(meters: Iterable<Meter>, beside: MeterIndex = new Map()): MeterIndex {
  const index = new Map([...beside].map(([kind, ids]) => [kind, new Map<string, readonly Meter[]>(ids)]));
  for (const meter of meters) {
    const { kind, id } = meter.scope;
    let ids = index.get(kind);
    if (ids === undefined) index.set(kind, (ids = new Map()));
    ids.set(id, [...(ids.get(id) ?? []), meter]);
  }
  return index;
}

/** The meters that an attempt touches in a phase, in the order in which they may refuse it. */
export function touchedBy(index: MeterIndex, scopes: Scopes, phase: Phase): Touched[] {
  const touched: Touched[] = [];
  const add = (meters: readonly Meter[] | undefined, subject: string) => {
    for (const meter of meters ?? [])
      if (KINDS[meter.kind].phases.includes(phase)) touched.push({ meter, subject });
  };
  add(index.get("org")?.get(""), "");
  for (const kind of ["department", "workflow", "deployment"] as const) {
    const id = scopes[kind];
    if (id !== undefined) add(index.get(kind)?.get(id), "");
  }
  for (const kind of ["customer", "chain"] as const) {
    const id = scopes[kind];
    if (id === undefined) continue;
    // A `"*"` row applies to customers without their own row, including a customer named `*`.
    const own = id === "*" ? undefined : index.get(kind)?.get(id);
    if (own) add(own, "");
    else add(index.get(kind)?.get("*"), id);
  }
  return touched.sort((a, b) => rankOf(a.meter) - rankOf(b.meter) || (a.meter.id < b.meter.id ? -1 : 1));
}

function rankOf(meter: Meter): number {
  return RANK[meter.kind][meter.scope.kind];
}
