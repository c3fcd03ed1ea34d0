import { type Dimension, DIMENSION_NAMES, TAG_NAME, TAG_PREFIX } from "../../../../contract/dimensions.ts";
import { DAILY_KINDS } from "../../../../domain/usage-report/daily.ts";
import { type Unit, UNITS } from "../../view/chart-scale.ts";
import { dimensionTitle } from "../../view/format.ts";
import type { Range } from "../../view/range.ts";

/** The names that tell spending apart. */
export type Tab = Dimension | "tag";
/** Asked for most. The others follow. */
const FIRST: readonly Dimension[] = ["customer_id", "department_id", "workflow_id", "model"];
const ORDERED: readonly Tab[] = [...FIRST, ...DIMENSION_NAMES.filter((name) => !FIRST.includes(name)), "tag"];
export const TABS: readonly (readonly [tab: Tab, title: string])[] = ORDERED.map((tab) => [
  tab,
  dimensionTitle(tab),
]);

export const LISTS = [
  ["most", "Spent most"],
  ["changed", "Changed most"],
  ["unusual", "Unusual"],
] as const;
export type ListName = (typeof LISTS)[number][0];

/** The settings of a page about spending, all of which are in its address: a link to it shows the same. */
export interface View {
  readonly range: Range;
  readonly by: Tab;
  /** Lowercase. Empty unless spending is told apart by a tag. */
  readonly tag: string;
  readonly unit: Unit;
  readonly list: ListName;
}

export function viewOf(query: URLSearchParams, range: Range): View {
  return {
    range,
    by: TABS.find(([name]) => name === query.get("by"))?.[0] ?? "customer_id",
    tag: query.get("tag")?.trim().toLowerCase() ?? "",
    unit: UNITS.find((name) => name === query.get("unit")) ?? "usd",
    list: LISTS.find(([name]) => name === query.get("list"))?.[0] ?? "most",
  };
}

/** The address of a view, with some of it changed. Default settings are left out, except for the dimension. */
export function addressOf(path: string, view: View, changes: Readonly<Record<string, string>> = {}): string {
  const { name, from, to } = view.range;
  const kept = {
    range: name,
    ...(name === "custom" ? { from, to } : {}),
    by: view.by,
    ...(view.tag === "" ? {} : { tag: view.tag }),
    ...(view.unit === "usd" ? {} : { unit: view.unit }),
    ...(view.list === "most" ? {} : { list: view.list }),
  };
  return `${path}?${new URLSearchParams({ ...kept, ...changes })}`;
}

/** Returns the fields of a view that a form of its page sends along, without its range. */
export function viewFields({ by, tag, unit, list }: View): Record<string, string> {
  return { by, tag, unit: unit === "usd" ? "" : unit, list: list === "most" ? "" : list };
}

/** The grouping of reports. Null: the tag has no name yet. */
export function groupOf({ by, tag }: Pick<View, "by" | "tag">): string | null {
  if (by !== "tag") return by;
  return TAG_NAME.test(tag) ? `${TAG_PREFIX}${tag}` : null;
}

/** Sums are kept by day for these. All others are added up from the runs. */
export const isDaily = (by: Tab): boolean => DAILY_KINDS.has(by);

/** The filter of the runs behind a row. */
export function rowFilter({ by, tag }: Pick<View, "by" | "tag">, id: string | null): Record<string, string> {
  if (id === null) return { without: by === "tag" ? `${TAG_PREFIX}${tag}` : by };
  return by === "tag" ? { tag: `${tag}:${id}` } : { [by]: id };
}
