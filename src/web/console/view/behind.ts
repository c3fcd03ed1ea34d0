import { TAG_PREFIX } from "../../../contract/dimensions.ts";
import type { Budget, BudgetGroup } from "../../../contract/resources/budgets/budgets.ts";
import { NAMED_FIELDS } from "../../../contract/scopes.ts";
import { runsChargedTo } from "./links.ts";

/** The filter of runs in a scope. Null: runs cannot be filtered by it. */
export function scopeFilter(kind: string, id: string | null): Record<string, string> | null {
  if (kind === "org") return {};
  const field = NAMED_FIELDS.find(([named]) => named === kind)?.[1];
  return field === undefined || id === null ? null : { [field]: id };
}

/** The runs that one counter of a budget counted. Null: no filter tells them from those of the others. */
export function runsBehindGroup(budget: Budget, group: BudgetGroup): string | null {
  if (countsEarlier(budget)) return null;
  const filters: Record<string, string> = {};
  for (const [name, value] of Object.entries(group.group_values)) {
    const [filter, sought] = filterOf(name, value);
    if (filter in filters) return null;
    filters[filter] = sought;
  }
  return runsChargedTo(budget.id, group, filters);
}

/** Returns whether it counts runs that were recorded before it was created. They do not say that they were charged to it. */
export function countsEarlier({ count_from: from, created_at: made, period_start: start }: Budget): boolean {
  return from === "period_start" && made > start;
}

function filterOf(name: string, value: string | null): readonly [filter: string, sought: string] {
  if (value === null) return ["without", name];
  return name.startsWith(TAG_PREFIX) ? ["tag", `${name.slice(TAG_PREFIX.length)}:${value}`] : [name, value];
}
