import { NAMED_FIELDS, SCOPES, type ScopeField } from "./scopes.ts";

/**
 * The columns, in blocks of stored runs, of the names that runs have beside their scopes. A number is never used for another
 * column.
 */
const COLUMNS = { model: 10, provider: 21, key_id: 22, user_id: 20, outcome: 24 } as const;

/** Runs can be told apart by a dimension: a field of each run, with one name or none. */
export type Dimension = keyof typeof COLUMNS | ScopeField;

type PropertyOf<Name> = Name extends `${infer Kind}_id` ? `${Kind}Id` : Name;
/** The property of a stored run. */
export type DimensionProperty = PropertyOf<Dimension>;

export interface DimensionRow {
  readonly name: Dimension;
  readonly property: DimensionProperty;
  /** Its number in a block of stored runs. */
  readonly column: number;
  /** The name of runs that are stored without one. Null if they have none. */
  readonly absent: string | null;
}

/** Names that are not stored, because most runs have them. A call that does not say otherwise has them too. */
export const ABSENT: Readonly<Partial<Record<RateTrait, string>>> = { outcome: "completed" };

/** Every dimension. Filters, reports and columns of stored runs derive from this list. */
export const DIMENSIONS: readonly DimensionRow[] = [
  ...(Object.entries(COLUMNS) as [keyof typeof COLUMNS, number][]).map(([name, column]) => ({
    name,
    property: propertyOf(name),
    column,
    absent: ABSENT[name] ?? null,
  })),
  ...NAMED_FIELDS.map(([kind, name]) => ({
    name,
    property: propertyOf(name),
    column: SCOPES[kind].column,
    absent: null,
  })),
];

/** A name as it is stored. Null if there is none. */
export function storedName({ absent }: DimensionRow, name: string | null): string | null {
  return name === absent ? null : name;
}

export const DIMENSION_NAMES: readonly Dimension[] = DIMENSIONS.map(({ name }) => name);

/** Dimensions that are known before a call, by which a budget can apply to it. The outcome is not. */
export type MatchDimension = Exclude<Dimension, "outcome">;
export const MATCHED = DIMENSION_NAMES.filter((name): name is MatchDimension => name !== "outcome");

/** Rate limits can tell calls apart by these names. They count what is happening, so it need not be stored. */
export type RateTrait = Dimension | "variant" | "chain_id";
export const RATED: readonly RateTrait[] = [...DIMENSION_NAMES, "variant", "chain_id"];

/** Limits can tell calls apart by a trait: a dimension, one tag, or all tags together. */
export type Trait = RateTrait | "tags" | `tag:${string}`;

/** Limits can count by these fields of a call. All tags are one field. */
export const COUNTED_BY = [...MATCHED, "variant", "tags"] as const;
export type CountedBy = (typeof COUNTED_BY)[number];

/** Returns whether a budget can have groups by it. */
export function isTrait(name: string): name is Trait {
  if (name.startsWith(TAG_PREFIX)) return TAG_NAME.test(name.slice(TAG_PREFIX.length));
  return name === "tags" || (MATCHED as readonly string[]).includes(name);
}

/** In place of a value: any, each counted separately. */
export const EACH = "*";

/** Dimensions that callers name, beyond the model and the scopes. */
export const ATTRIBUTED = ["user_id", "provider"] as const satisfies readonly Dimension[];

export const MOST_TAGS = 10;
export const TAG_NAME = /^[a-z0-9_.-]{1,40}$/;
export const TAG_VALUE_MOST_CHARACTERS = 200;

/** Characters are code points, as in a JSON schema: an emoji is one. */
export function isTagValue(value: unknown): value is string {
  if (typeof value !== "string" || value === "") return false;
  if (value.length <= TAG_VALUE_MOST_CHARACTERS) return true;
  return (
    value.length <= 2 * TAG_VALUE_MOST_CHARACTERS && Array.from(value).length <= TAG_VALUE_MOST_CHARACTERS
  );
}

/** How a tag is named where a dimension can be. */
export const TAG_PREFIX = "tag:";

function propertyOf<Name extends Dimension>(name: Name): PropertyOf<Name> {
  return name.replace(/_id$/, "Id") as PropertyOf<Name>;
}
