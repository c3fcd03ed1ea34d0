/** Null if decisions and runs have no `<kind>_id` field for it. */
type FieldNumbers =
  | {
      /**
       * The number of its column in a block of stored runs. No other column has it. Fields are written in this order, so a
       * new scope gets a number after all others.
       */
      readonly column: number;
      /**
       * Its place in a stored refusal. Nothing else has it. Refusals and headers name scopes in this order, so a new scope
       * gets a place after all others.
       */
      readonly place: number;
    }
  | { readonly column: null; readonly place: null };

type ScopeRow = FieldNumbers & {
  /** A budget can be set for one of them. */
  readonly hasBudgets: boolean;
  /** A limit for `"*"` counts each of them separately. */
  readonly countsEach: boolean;
  /** The name in the console. */
  readonly one: string;
  readonly many: string;
};

const UNNAMED = { column: null, place: null } as const;

/**
 * The scopes that a limit can apply to. Limits of one kind refuse in this order of their scopes. A new scope is one row
 * here.
 */
export const SCOPES = {
  org: { ...UNNAMED, hasBudgets: true, countsEach: false, one: "The whole org", many: "The whole org" },
  department: {
    column: 14,
    place: 13,
    hasBudgets: true,
    countsEach: false,
    one: "A department",
    many: "Departments",
  },
  workflow: {
    column: 12,
    place: 12,
    hasBudgets: true,
    countsEach: false,
    one: "A workflow",
    many: "Workflows",
  },
  deployment: {
    column: 13,
    place: 14,
    hasBudgets: true,
    countsEach: false,
    one: "A deployment",
    many: "Deployments",
  },
  customer: {
    column: 15,
    place: 11,
    hasBudgets: false,
    countsEach: true,
    one: "A customer",
    many: "Customers",
  },
  chain: { ...UNNAMED, hasBudgets: false, countsEach: true, one: "A chain", many: "Chains" },
  match: {
    ...UNNAMED,
    hasBudgets: false,
    countsEach: false,
    one: "Matching calls",
    many: "Matching calls",
  },
} as const satisfies Record<string, ScopeRow>;

type Rows = typeof SCOPES;
export type ScopeKind = keyof Rows;
type KindWith<Part> = { [Kind in ScopeKind]: Rows[Kind] extends Part ? Kind : never }[ScopeKind];

/** Scopes that decisions and runs name in a field. */
export type NamedScope = KindWith<{ readonly column: number }>;
export type BudgetScope = KindWith<{ readonly hasBudgets: true }>;
/** Scopes that a limit can count separately. */
export type EachScope = KindWith<{ readonly countsEach: true }>;
/** Scopes whose limits each apply to one of them. */
export type SingleScope = Exclude<NamedScope, EachScope>;

export type ScopeField = `${NamedScope}_id`;
/** The fields of a decision or run that name its scopes. */
export type ScopeNames = { readonly [Field in ScopeField]?: string | undefined };
/** The same as they are stored. */
export type StoredScopes = { readonly [Kind in NamedScope as `${Kind}Id`]: string | null };

const kinds = Object.keys(SCOPES) as ScopeKind[];
const rowOf = (kind: ScopeKind): ScopeRow => SCOPES[kind];
const isNamed = (kind: ScopeKind): kind is NamedScope => rowOf(kind).column !== null;

export const SCOPE_KINDS: readonly ScopeKind[] = kinds;
export const EACH_SCOPES = kinds.filter((kind): kind is EachScope => rowOf(kind).countsEach);

/** In the order of their fields. */
export const NAMED_SCOPES: readonly NamedScope[] = kinds
  .filter(isNamed)
  .sort((one, other) => SCOPES[one].column - SCOPES[other].column);
export const SINGLE_SCOPES = NAMED_SCOPES.filter((kind): kind is SingleScope => !rowOf(kind).countsEach);
export const BUDGET_SCOPES = /* @__PURE__ */ ["org" as const, ...NAMED_SCOPES].filter(
  (kind): kind is BudgetScope => rowOf(kind).hasBudgets,
);
/** The scopes that dollars are counted for by day, and that a `budget_exceeded` can be about. */
export const SPENDING_SCOPES = ["org" as const, ...NAMED_SCOPES];

/** The scope of a limit that says by itself which calls it applies to. */
export const MATCH_SCOPE = "match" satisfies ScopeKind;

/** Each as callers name it and as it is stored, in the order in which refusals and headers have them. */
export const STATED_SCOPES = NAMED_SCOPES.toSorted(
  (one, other) => SCOPES[one].place - SCOPES[other].place,
).map((kind) => ({ kind, field: `${kind}_id`, property: `${kind}Id`, place: SCOPES[kind].place }) as const);

/** Each with its field. */
export const NAMED_FIELDS = NAMED_SCOPES.map((kind) => [kind, `${kind}_id`] as const);
export const SINGLE_FIELDS = SINGLE_SCOPES.map((kind) => [kind, `${kind}_id`] as const);
export const SCOPE_FIELDS: readonly ScopeField[] = NAMED_FIELDS.map(([, field]) => field);

/** The same value under the name of each scope's field. */
export function underEachField<Value>(value: Value): Readonly<Record<ScopeField, Value>> {
  return Object.fromEntries(SCOPE_FIELDS.map((field) => [field, value])) as Record<ScopeField, Value>;
}

/** The same in the order of refusals and headers. */
export function underEachStatedField<Value>(value: Value): Readonly<Record<ScopeField, Value>> {
  return Object.fromEntries(STATED_SCOPES.map(({ field }) => [field, value])) as Record<ScopeField, Value>;
}
