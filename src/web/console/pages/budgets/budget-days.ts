import { DIMENSION_NAMES, TAG_PREFIX, type Trait } from "../../../../contract/dimensions.ts";
import type { Budget } from "../../../../contract/resources/budgets/budgets.ts";
import type { UsageReport } from "../../../../contract/resources/usage/usage-report.ts";
import { matches, matchOf, type MatchPart, prefixOf } from "../../../../domain/meter/match.ts";
import type { CallNames } from "../../../../domain/meter/traits.ts";
import { scopeFilter } from "../../view/behind.ts";

/** How the runs of a budget are asked for, day by day. */
export interface DaysAsk {
  /** The names that a list of runs can be filtered by. */
  readonly filter: Readonly<Record<string, string>>;
  /** No other runs pass the filter than those of the budget. */
  readonly isExact: boolean;
  /** The groups of the report, beside the day. */
  readonly groups: readonly Trait[];
  /** Tells whether a row belongs to the budget. */
  readonly isOwn: (row: UsageReport["data"][number]) => boolean;
  /** The groups that the days are divided by, each with a counter. Null: by nothing. */
  readonly dividedBy: Trait | null;
}

/** A report has the day and two more groups. */
const MOST_GROUPS = 2;

/** Null: reports cannot tell the runs of the budget from others. */
export function daysAskOf(budget: Budget): DaysAsk | null {
  if (budget.match === null) {
    const filter = scopeFilter(budget.scope_kind, budget.scope_id);
    if (filter === null) return null;
    return { filter, isExact: true, groups: [], isOwn: () => true, dividedBy: null };
  }
  const match = matchOf(budget.match, []);
  const { filter, left } = filtersOf(match.parts);
  const divided = budget.group_by.length === 1 ? (budget.group_by[0] as Trait) : null;
  const needed = left.map(({ trait }) => trait);
  const isDivided =
    divided !== null && isReported(divided) && (needed.includes(divided) || needed.length < MOST_GROUPS);
  const groups = [...new Set([...needed, ...(isDivided ? [divided] : [])])];
  if (groups.length > MOST_GROUPS) return null;
  const own = { parts: left, groupBy: [] };
  return {
    filter,
    isExact: left.length === 0,
    groups,
    isOwn: (row) => matches(own, namesIn(row, groups)),
    dividedBy: isDivided ? divided : null,
  };
}

/** One value of one name is a filter. Of tags, a list of runs is filtered by one. */
function filtersOf(parts: readonly MatchPart[]): {
  readonly filter: Record<string, string>;
  readonly left: readonly MatchPart[];
} {
  const filter: Record<string, string> = {};
  const left = parts.filter(({ trait, values: [value = "", ...others] }) => {
    const isTag = trait.startsWith(TAG_PREFIX);
    if (others.length > 0 || prefixOf(trait, value) !== null || (isTag && "tag" in filter)) return true;
    filter[isTag ? "tag" : trait] = isTag ? `${trait.slice(TAG_PREFIX.length)}:${value}` : value;
    return false;
  });
  return { filter, left };
}

function isReported(trait: Trait): boolean {
  return trait.startsWith(TAG_PREFIX) || (DIMENSION_NAMES as readonly string[]).includes(trait);
}

function namesIn(row: UsageReport["data"][number], groups: readonly Trait[]): CallNames {
  const values = groups.flatMap((trait) => {
    const value = row[trait];
    return typeof value === "string" ? [[trait, value] as const] : [];
  });
  const tags = values.flatMap(([trait, value]) =>
    trait.startsWith(TAG_PREFIX) ? [[trait.slice(TAG_PREFIX.length), value] as const] : [],
  );
  return { ...Object.fromEntries(values), tags: Object.fromEntries(tags) };
}
