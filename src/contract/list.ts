import { DAY_MS } from "./durations.ts";
import * as z from "zod";
import { type Findings, withRule } from "./field-rules.ts";
import { wholeNumber } from "./query-numbers.ts";
import { parseTimestamp, searchText } from "./shapes.ts";

/** Every list has the same form of query and reply. */

export interface ListQuery {
  readonly limit: number;
  readonly sort: { readonly field: string; readonly descending: boolean };
  /** The last row of the previous page, or null for the first page. */
  readonly after: { readonly value: string | number; readonly id: string } | null;
  readonly filters: Readonly<Record<string, string>>;
  /** The scope that cursors of this list belong to. */
  readonly scope: string;
}

/** The key of a checked query's scope. It is a symbol, so that it cannot collide with a parameter. */
export const LIST_SCOPE = Symbol("list scope");

export interface ListSpec {
  /** Fields that `?sort=` may name. The first is the default, in descending order. */
  readonly sort: readonly [string, ...string[]];
  /** The default order is ascending instead, as for names. */
  readonly ascending?: true;
  /** Only the default order. */
  readonly newestFirst?: true;
  readonly filters?: Readonly<Record<string, z.ZodType<string>>>;
  /** Adds `from` and `to`. */
  readonly range?: boolean;
}

/** The filter of a list that can be searched, by a part of something. */
export const searchFilter = (part: string, example: string) =>
  searchText.meta({
    description: `Part of ${part}, in upper or lower case. Exact matches come first, then names that begin with it, on one page. At most 10,000 entries are searched, in the order of the list.`,
    examples: [example],
  });

const MAX_RANGE_MS = 90 * DAY_MS;

/** A date without a time means midnight UTC. */
export function parseMoment(text: string): number | null {
  return parseTimestamp(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
}

export const momentInput = z
  .string()
  .meta({ description: "RFC 3339 timestamp or YYYY-MM-DD.", examples: ["2026-08-01"] })
  .refine((text) => parseMoment(text) !== null, {
    message: "must be an RFC 3339 timestamp or a date such as 2026-08-01",
    params: { code: "invalid_format" },
  });

/** `to` after `from`, and at most 90 days between them. */
export function checkRange(
  value: { from?: string | undefined; to?: string | undefined },
  { complain }: Findings,
): void {
  const from = value.from === undefined ? null : parseMoment(value.from);
  const to = value.to === undefined ? null : parseMoment(value.to);
  if (from === null || to === null) return;
  const refuseEnd = (message: string) => complain(["to"], "out_of_range", message);
  if (to <= from) refuseEnd("must be after from");
  else if (to - from > MAX_RANGE_MS) {
    const days = Math.ceil((to - from) / DAY_MS);
    refuseEnd(`range of ${days} days exceeds the maximum of 90 days`);
  }
}

export function listQuery(spec: ListSpec) {
  const directions = spec.sort.flatMap((field) =>
    spec.newestFirst === true ? [`-${field}`] : [field, `-${field}`],
  ) as [string, ...string[]];
  const shape = z.strictObject({
    limit: wholeNumber(1, 200).optional().meta({ description: "1 to 200. Default: 50." }),
    cursor: z
      .string()
      .refine((text) => decodeCursor(text) !== null, {
        message: "is not a valid cursor",
        params: { code: "invalid_value" },
      })
      .optional()
      .meta({ description: "`next_cursor` of the previous page." }),
    sort: z
      .enum(directions)
      .optional()
      .meta({ description: "Field to sort by. Prefix with `-` for descending order." }),
    ...Object.fromEntries(Object.entries(spec.filters ?? {}).map(([key, type]) => [key, type.optional()])),
    ...(spec.range === true ? { from: momentInput.optional(), to: momentInput.optional() } : {}),
  });
  return withRule(shape, (value, findings) => {
    if (spec.range === true) checkRange(value as { from?: string; to?: string }, findings);
    const cursor = typeof value.cursor === "string" ? decodeCursor(value.cursor) : null;
    if (cursor === null || findings.isWrong("sort")) return;
    if (cursor.sort !== orderOf(spec, value.sort)) {
      findings.complain(["cursor"], "invalid_value", "belongs to a list with a different sort order");
    }
  });
}

/** Returns what is asked for, as cursors have it. */
function orderOf(spec: ListSpec, sort: string | undefined): string {
  return sort ?? defaultSort(spec);
}

function defaultSort(spec: ListSpec): string {
  return spec.ascending === true ? spec.sort[0] : `-${spec.sort[0]}`;
}

/** The validated query in the form that stores use. */
export function toListQuery(spec: ListSpec, query: Readonly<Record<string, unknown>>): ListQuery {
  const { limit = 50, ...texts } = query as { readonly limit?: number };
  const { cursor, sort, ...filters } = texts as Readonly<Record<string, string | undefined>>;
  const order = orderOf(spec, sort);
  const after = cursor === undefined ? null : decodeCursor(cursor);
  return {
    limit,
    sort: { field: order.replace(/^-/, ""), descending: order.startsWith("-") },
    after: after === null ? null : { value: after.value, id: after.id },
    scope: (query as { [LIST_SCOPE]?: string })[LIST_SCOPE] ?? "",
    filters: Object.fromEntries(
      Object.entries(filters).flatMap(([key, value]) =>
        value === undefined ? [] : [[key, filterValue(spec, key, value)]],
      ),
    ),
  };
}

/** Timestamps are compared as stored: in milliseconds. */
function filterValue(spec: ListSpec, key: string, value: string): string {
  const moment = spec.range === true && (key === "from" || key === "to") ? parseMoment(value) : null;
  return moment === null ? value : String(moment);
}

interface Cursor {
  readonly sort: string;
  readonly value: string | number;
  readonly id: string;
  /** Null in cursors from before scopes existed. Readers of events may keep cursors for a long time. */
  readonly scope: string | null;
}

export function isCursorOf(cursor: string, scope: string): boolean {
  const known = decodeCursor(cursor)?.scope;
  return known === null || known === scope;
}

export function encodeCursor(query: ListQuery, last: { value: string | number; id: string }): string {
  const sort = `${query.sort.descending ? "-" : ""}${query.sort.field}`;
  return written([sort, last.value, last.id, query.scope]);
}

function written(parts: readonly [sort: string, value: string | number, id: string, scope: string]): string {
  const bytes = new TextEncoder().encode(JSON.stringify(parts));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

/** Leaves room for the longest value that a list is sorted by: a webhook's URL. */
const LONGEST_CURSOR = 4096;

function decodeCursor(text: string): Cursor | null {
  if (text.length > LONGEST_CURSOR || !/^[A-Za-z0-9_-]+$/.test(text)) return null;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) =>
      c.charCodeAt(0),
    );
    const parsed: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (!Array.isArray(parsed) || parsed.length < 3 || parsed.length > 4) return null;
    const [sort, value, id, scope = null] = parsed as unknown[];
    if (typeof sort !== "string" || typeof id !== "string") return null;
    if (scope !== null && typeof scope !== "string") return null;
    if (typeof value !== "string" && typeof value !== "number") return null;
    return { sort, value, id, scope };
  } catch {
    return null;
  }
}

export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({
    data: z.array(item),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: "Pass as `cursor` to get the next page. Null on the last page." }),
  });
}

export interface Page<T> {
  readonly data: T[];
  readonly next_cursor: string | null;
}
