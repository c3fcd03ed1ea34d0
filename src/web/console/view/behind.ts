import type { Budget, BudgetGroup } from "../../../contract/resources/budgets.ts";
import { TAG_PREFIX } from "../../../contract/dimensions.ts";
import { NAMED_FIELDS } from "../../../contract/scopes.ts";
import { runsIn } from "./links.ts";

type Filter = Record<string, string>;

/** The filter of runs in a scope. Null: runs cannot be filtered by it. */
export function scopeFilter(kind: string, id: string | null): Filter | null {
  if (kind === "org") return {};
  const field = NAMED_FIELDS.find(([named]) => named === kind)?.[1];
  return field === undefined || id === null ? null : { [field]: id };
}

/** The runs that a budget counted in its period. Null: no filter of runs says which. */
export function runsBehind(budget: Budget): string | null {
  const filter = budgetFilter(budget);
  return filter === null ? null : runsIn(filter, counted(budget, budget));
}

/** The runs that one counter of a budget counted. */
export function runsBehindGroup(budget: Budget, group: BudgetGroup): string | null {
  const filter = joined([budgetFilter(budget), ...Object.entries(group.group_values).map(valueFilter)]);
  return filter === null ? null : runsIn(filter, counted(budget, group));
}

/** A budget counts from when it was created. */
function counted({ created_at: created }: Budget, period: Pick<Budget, "period_start" | "period_end">) {
  const { period_start: start, period_end } = period;
  return { period_start: Date.parse(created) > Date.parse(start) ? created : start, period_end };
}

function budgetFilter({ scope_kind: kind, scope_id: id, match }: Budget): Filter | null {
  if (match === null) return scopeFilter(kind, id);
  const { tags = {}, ...named } = match;
  return joined([
    ...Object.entries(named).map(([name, values]) => oneValue(values, (value) => ({ [name]: value }))),
    ...Object.entries(tags).map(([name, values]) =>
      oneValue(values, (value) => ({ tag: `${name}:${value}` })),
    ),
  ]);
}

function oneValue(
  values: string | readonly string[] | undefined,
  filterOf: (value: string) => Filter,
): Filter | null {
  const [value, ...others] = typeof values === "string" ? [values] : (values ?? []);
  return value === undefined || others.length > 0 || value.endsWith("*") ? null : filterOf(value);
}

function valueFilter([name, value]: readonly [string, string | null]): Filter {
  if (value === null) return { without: name };
  return name.startsWith(TAG_PREFIX)
    ? { tag: `${name.slice(TAG_PREFIX.length)}:${value}` }
    : { [name]: value };
}

/** All filters at once. Null: one is unknown, or two ask for different values of the same thing. */
function joined(filters: readonly (Filter | null)[]): Filter | null {
  const all: Filter = {};
  for (const filter of filters) {
    if (filter === null) return null;
    for (const [name, value] of Object.entries(filter)) {
      if ((all[name] ?? value) !== value) return null;
      all[name] = value;
    }
  }
  return all;
}
