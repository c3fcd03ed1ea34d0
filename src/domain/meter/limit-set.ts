import { METER_KINDS, type MeterKind, meterRowOf, type Phase } from "../../contract/meter-kinds.ts";
import {
  EACH_SCOPES,
  NAMED_FIELDS,
  SCOPE_KINDS,
  type ScopeField,
  type ScopeKind,
  type ScopeNames,
  SINGLE_SCOPES,
} from "../../contract/scopes.ts";
import { MatchIndex } from "./match-index.ts";
import { countsGroups, type Meter } from "./meter.ts";
import { type CallNames, groupOf } from "./traits.ts";
import { cached } from "../cache/cached.ts";

type MatchedScope = Exclude<ScopeKind, "org" | "match">;
export const MATCHED_SCOPES: readonly MatchedScope[] = [...SINGLE_SCOPES, ...EACH_SCOPES];

/** The properties of an attempt that a meter's scope can match. */
export type Scopes = { readonly [Kind in MatchedScope]?: string | undefined } & {
  /** The traits of the call beside its scopes. */
  readonly beside?: CallNames;
};

/** The scopes of a call, or of a run, that a key makes. */
export function scopesOf(
  names: ScopeNames & Omit<CallNames, "key_id">,
  { keyId, chain }: { readonly keyId: string | undefined; readonly chain?: string | undefined },
): Scopes {
  const { model, provider, user_id, variant, outcome, tags } = names;
  const beside = {
    model,
    provider,
    user_id,
    variant,
    outcome,
    tags,
    key_id: keyId,
    chain: chain === undefined ? undefined : { chain_id: chain },
  } satisfies Record<Exclude<keyof CallNames, ScopeField>, unknown>;
  return {
    chain,
    workflow: names.workflow_id,
    deployment: names.deployment_id,
    department: names.department_id,
    customer: names.customer_id,
    beside,
  } satisfies Record<MatchedScope | "beside", unknown>;
}

type NamedFields = Parameters<typeof scopesOf>[0];

/** Returns whether two calls of one key surely have the same scopes. Tags, whose order may differ, are not compared. */
export function isNamedAlike(one: NamedFields, other: NamedFields): boolean {
  return (
    one.customer_id === other.customer_id &&
    one.workflow_id === other.workflow_id &&
    one.deployment_id === other.deployment_id &&
    one.department_id === other.department_id &&
    one.model === other.model &&
    one.provider === other.provider &&
    one.user_id === other.user_id &&
    one.variant === other.variant &&
    one.outcome === other.outcome &&
    one.tags === undefined &&
    other.tags === undefined
  );
}

/** All that limits can match. */
export function namesIn(scopes: Scopes): CallNames {
  const names: { -readonly [Name in keyof CallNames]: CallNames[Name] } = { ...scopes.beside };
  for (const [kind, field] of NAMED_FIELDS) names[field] = scopes[kind];
  return names;
}

export interface LimitSetMeter {
  readonly meter: Meter;
  readonly subject: string;
}

/** Limits refuse in the order of their kinds. Limits of one kind refuse in the order of their scopes. */
const RANK = Object.fromEntries(
  METER_KINDS.map((kind, k) => [
    kind,
    Object.fromEntries(SCOPE_KINDS.map((scope, s) => [scope, k * SCOPE_KINDS.length + s])),
  ]),
) as Record<MeterKind, Record<ScopeKind, number>>;

/** Indexes the org's meters by what they match, so that the cost depends on how many apply, not on how many exist. */
export interface MeterIndex {
  readonly byScope: ReadonlyMap<ScopeKind, ReadonlyMap<string, readonly Meter[]>>;
  readonly matching: MatchIndex;
}

const NO_METERS: MeterIndex = { byScope: new Map(), matching: new MatchIndex([]) };

export function indexMeters(meters: Iterable<Meter>, beside: MeterIndex = NO_METERS): MeterIndex {
  const index = new Map(
    [...beside.byScope].map(([kind, ids]) => [kind, new Map<string, readonly Meter[]>(ids)]),
  );
  const matching: Meter[] = [];
  for (const meter of meters) {
    if (meter.match !== undefined) {
      matching.push(meter);
      continue;
    }
    const { kind, id } = meter.scope;
    const ids = cached(index, kind, () => new Map());
    ids.set(id, [...(ids.get(id) ?? []), meter]);
  }
  if (matching.length === 0) return { byScope: index, matching: beside.matching };
  return { byScope: index, matching: new MatchIndex([...beside.matching.meters, ...matching]) };
}

/** The meters that an attempt touches in a phase, in the order of refusal. */
export function findMeters(
  { byScope: index, matching }: MeterIndex,
  scopes: Scopes,
  phase: Phase,
): LimitSetMeter[] {
  const touched: LimitSetMeter[] = [];
  const add = (meters: readonly Meter[] | undefined, subject: string) => {
    for (const meter of meters ?? [])
      if (meterRowOf(meter.kind).phases.includes(phase)) touched.push({ meter, subject });
  };
  add(index.get("org")?.get(""), "");
  for (const kind of SINGLE_SCOPES) {
    const id = scopes[kind];
    if (id !== undefined) add(index.get(kind)?.get(id), "");
  }
  for (const kind of EACH_SCOPES) {
    const id = scopes[kind];
    if (id === undefined) continue;
    // A `"*"` row applies to customers without their own row, including a customer named `*`.
    const own = id === "*" ? undefined : index.get(kind)?.get(id);
    if (own) add(own, "");
    else add(index.get(kind)?.get("*"), id);
  }
  if (matching.meters.length > 0) {
    const names = namesIn(scopes);
    for (const meter of matching.matching(names)) {
      add([meter], countsGroups(meter) ? groupOf(names, meter.match?.groupBy ?? []) : "");
    }
  }
  return touched.sort((a, b) => rankOf(a.meter) - rankOf(b.meter) || (a.meter.id < b.meter.id ? -1 : 1));
}

function rankOf(meter: Meter): number {
  return RANK[meter.kind][meter.scope.kind];
}
