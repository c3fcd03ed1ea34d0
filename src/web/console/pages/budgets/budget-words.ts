import type { Budget } from "../../../../contract/resources/budgets/budgets.ts";
import { count, usd, words } from "../../view/format.ts";

/** An amount in the budget's unit. */
export function amountText({ unit }: Pick<Budget, "unit">, amount: string | number | null): string {
  if (amount === null) return "–";
  return unit === "usd" ? usd(String(amount)) : `${count(Number(amount))} ${unit}`;
}

/** What a budget applies to. */
export function appliesTo({ scope_kind: kind, scope_id: id, match, group_by: groupBy }: Budget): string {
  if (match !== null) return `${matchText(match)}${eachOf(groupBy)}`;
  return kind === "org" ? "Whole org" : `${words(kind)} ${id ?? ""}`;
}

function matchText({ tags = {}, ...named }: NonNullable<Budget["match"]>): string {
  const parts = [
    ...Object.entries(named).map(([name, values]) => `${plain(name)} ${anyOf(values)}`),
    ...Object.entries(tags).map(([name, values]) => `tag ${name} ${anyOf(values)}`),
  ];
  return parts.length === 0 ? "Every call" : words(parts.join(" and "));
}

function anyOf(values: string | readonly string[] | undefined): string {
  if (values === undefined) return "";
  return typeof values === "string" ? values : values.join(" or ");
}

function eachOf(groupBy: readonly string[]): string {
  return groupBy.length === 0 ? "" : `, for each ${groupBy.map(plain).join(" and ")}`;
}

/** `user_id` as `user`. */
function plain(name: string): string {
  return name.replace(/_id$/, "").replace(":", " ");
}
