import { type Dimension, DIMENSIONS, TAG_NAME, TAG_PREFIX, TAG_VALUE_MOST_CHARACTERS } from "./dimensions.ts";

/** Filters of runs beside their names: a tag with its value, and what a run must not name. Plain values, without zod. */

/** The fields that a run may leave out. A model and an outcome it always has. */
export const LEFT_OUT: readonly Dimension[] = DIMENSIONS.flatMap(({ name, absent }) =>
  name === "model" || absent !== null ? [] : [name],
);

/** A tag that is sought. Null means runs without it. */
export interface TagFilter {
  readonly name: string;
  readonly value: string | null;
}

/** `team:search`. A name has no colon, a value may. Null if it is not that. */
export function parseTagFilter(text: string): TagFilter | null {
  const end = text.indexOf(":");
  const [name, value] = [text.slice(0, end), text.slice(end + 1)];
  if (end === -1 || !TAG_NAME.test(name)) return null;
  return value === "" || value.length > TAG_VALUE_MOST_CHARACTERS ? null : { name, value };
}

/** `customer_id`, or `tag:team`. Null if runs cannot be without it. */
export function parseWithoutFilter(text: string): TagFilter | Dimension | null {
  const name = LEFT_OUT.find((one) => one === text);
  if (name !== undefined) return name;
  const tag = text.startsWith(TAG_PREFIX) ? text.slice(TAG_PREFIX.length) : "";
  return TAG_NAME.test(tag) ? { name: tag, value: null } : null;
}

/** The runs that filters seek. */
interface RunFilter {
  readonly names: readonly (readonly [filter: string, name: string])[];
  readonly without: readonly Dimension[];
  readonly tags: readonly TagFilter[];
  /** Only runs that were charged to this limit. */
  readonly limitId: string | null;
  /** Only runs that were charged to periods since then. */
  readonly chargedFrom: string | null;
}

export function parseRunFilter(filters: Readonly<Record<string, string | undefined>>): RunFilter {
  const { tag, without, limit_id: limitId = null, charged_from: chargedFrom = null, ...rest } = filters;
  const names = Object.entries(rest).flatMap(([filter, name]) =>
    name === undefined ? [] : [[filter, name] as const],
  );
  const missing = without === undefined ? null : parseWithoutFilter(without);
  const isName = typeof missing === "string";
  const tags = [tag === undefined ? null : parseTagFilter(tag), isName ? null : missing];
  return {
    names,
    without: isName ? [missing] : [],
    tags: tags.filter((one) => one !== null),
    limitId,
    chargedFrom,
  };
}
