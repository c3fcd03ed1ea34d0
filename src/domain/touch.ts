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
const RANK = new Map(
  METER_KINDS.flatMap((kind, k) => SCOPE_ORDER.map((scope, s) => [`${kind} ${scope}`, k * 10 + s] as const)),
);

/** The org's meters by what they match, so that picking costs by what applies, not by how many there are. */
export interface MeterIndex {
  readonly byScope: ReadonlyMap<string, readonly Meter[]>;
}

export function indexMeters(meters: Iterable<Meter>, beside?: MeterIndex): MeterIndex {
  const byScope = new Map([...(beside?.byScope ?? [])].map(([key, there]) => [key, [...there]]));
  for (const meter of meters) {
    const key = scopeKey(meter.scope.kind, meter.scope.id);
    const there = byScope.get(key);
    if (there) there.push(meter);
    else byScope.set(key, [meter]);
  }
  return { byScope };
}

/** The meters that an attempt touches in a phase, in the order in which they may refuse it. */
export function touchedBy(index: MeterIndex, scopes: Scopes, phase: Phase): Touched[] {
  const touched: Touched[] = [];
  const add = (meters: readonly Meter[] | undefined, subject: string) => {
    for (const meter of meters ?? [])
      if (KINDS[meter.kind].phases.includes(phase)) touched.push({ meter, subject });
  };
  add(index.byScope.get(scopeKey("org", "")), "");
  for (const kind of ["department", "workflow", "deployment"] as const) {
    const id = scopes[kind];
    if (id !== undefined) add(index.byScope.get(scopeKey(kind, id)), "");
  }
  for (const kind of ["customer", "chain"] as const) {
    const id = scopes[kind];
    if (id === undefined) continue;
    // A `"*"` row is for those without a row of their own, one who is called `*` included.
    const own = id === "*" ? undefined : index.byScope.get(scopeKey(kind, id));
    if (own) add(own, "");
    else add(index.byScope.get(scopeKey(kind, "*")), id);
  }
  return touched.sort((a, b) => rankOf(a.meter) - rankOf(b.meter) || (a.meter.id < b.meter.id ? -1 : 1));
}

function rankOf(meter: Meter): number {
  return RANK.get(`${meter.kind} ${meter.scope.kind}`) ?? 0;
}

function scopeKey(kind: ScopeKind, id: string): string {
  return `${kind} ${id}`;
}
