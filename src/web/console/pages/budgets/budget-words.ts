import type { Budget } from "../../../../contract/resources/budgets/budgets.ts";
import { count, usd, toWords } from "../../view/format.ts";

/** An amount in the budget's unit. */
export function amountText({ unit }: Pick<Budget, "unit">, amount: string | number | null): string {
  if (amount === null) return "–";
  return unit === "usd" ? usd(String(amount)) : `${count(Number(amount))} ${unit}`;
}

/** Describes the calls that a budget applies to. */
export function appliesTo({ scope_kind: kind, scope_id: id, match, group_by: groupBy }: Budget): string {
  if (match !== null) return `${matchText(match)}${eachOf(groupBy)}`;
  return kind === "org" ? "Whole org" : `${toWords(kind)} ${id ?? ""}`;
}

/** Returns whether every call counts, whoever makes it. */
export function isForEveryCall({ scope_kind: kind, match }: Budget): boolean {
  if (match === null) return kind === "org";
  const { tags = {}, ...named } = match;
  return Object.keys(named).length === 0 && Object.keys(tags).length === 0;
}

const USES = { usd: "spend", tokens: "use", runs: "make" } as const;

/** Describes what a budget will do, in a sentence or two. */
export function budgetSentence(budget: Budget): string {
  const { unit, limit, mode, group_by: groupBy } = budget;
  const who = isForEveryCall(budget) ? `All calls together${eachOf(groupBy)}` : appliesTo(budget);
  const may = `${who} may ${USES[unit]} ${amountText(budget, limit)} ${perPeriod(budget)}.`;
  const then =
    mode === "enforce"
      ? "A call that would go over is refused before it costs anything."
      : "A call that would go over is reported, and not refused.";
  return `${may} ${then}`;
}

const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/** `a month from the 28th day on, in Europe/Berlin`. */
export function perPeriod({ period, anchor_day: anchor, timezone }: Budget): string {
  if (period === "total") return "in total";
  const from =
    anchor === null
      ? ""
      : period === "week"
        ? ` from ${WEEKDAYS[anchor - 1] ?? ""} on`
        : ` from day ${anchor} on`;
  return `a ${period}${from}${timezone === "UTC" ? "" : `, in ${timezone}`}`;
}

function matchText({ tags = {}, ...named }: NonNullable<Budget["match"]>): string {
  const parts = [
    ...Object.entries(named).map(([name, values]) => `${plain(name)} ${anyOf(values)}`),
    ...Object.entries(tags).map(([name, values]) => `tag ${name} ${anyOf(values)}`),
  ];
  return parts.length === 0 ? "Every call" : toWords(parts.join(" and "));
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
