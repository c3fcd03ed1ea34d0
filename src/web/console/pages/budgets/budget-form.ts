import { BUDGET_UNITS } from "../../../../contract/meter-kinds.ts";
import { MATCHED } from "../../../../contract/dimensions.ts";
import { type BudgetScope, MATCH_SCOPE, SCOPE_KINDS, SCOPES } from "../../../../contract/scopes.ts";
import type { Field } from "../../view/field.ts";
import { dimensionTitle, toWords } from "../../view/format.ts";

/** In the order of refusal. */
export const BUDGETED = SCOPE_KINDS.filter((kind): kind is BudgetScope => SCOPES[kind].hasBudgets);

const WHOLE = "Whole organization";

const SCOPE: readonly Field[] = [
  {
    name: "scope_kind",
    label: "Applies to",
    kind: "choice",
    half: true,
    options: [
      ...BUDGETED.map((kind) => [kind, kind === "org" ? WHOLE : SCOPES[kind].one] as const),
      [MATCH_SCOPE, "Calls that match, below"],
    ],
  },
  {
    name: "scope_id",
    label: "Scope id",
    kind: "text",
    half: true,
    hint: "As calls name it.",
  },
];

const MATCH: readonly Field[] = [
  { name: "matching", label: "Calls that match", kind: "heading" },
  ...MATCHED.map((name): Field => ({
    name: `match.${name}`,
    label: dimensionTitle(name),
    kind: "list",
    half: true,
    ...(name === "model" ? { placeholder: "gpt-*, o3", hint: "May end in *." } : {}),
  })),
  {
    name: "match.tags",
    label: "Tags",
    kind: "pairs",
    half: true,
    isOffered: true,
    placeholder: "team=search, team=ads",
    hint: "name=value, separated by commas.",
  },
  {
    name: "group_by",
    label: "Count separately by",
    kind: "list",
    half: true,
    isOffered: true,
    placeholder: "user_id",
    hint: "One or two names, such as user_id or tag:team. Each value has the whole limit.",
  },
];

/** When its periods begin. */
export const CALENDAR: readonly Field[] = [
  {
    name: "timezone",
    label: "Time zone",
    kind: "text",
    half: true,
    placeholder: "UTC",
    hint: "Of its periods, such as Europe/Berlin.",
  },
  {
    name: "anchor_day",
    label: "First day",
    kind: "integer",
    half: true,
    hint: "Of months (1 to 28) or weeks (1 is Monday).",
  },
];

/** From when it counts in the period in which it is created. */
export const COUNT_FROM: Field = {
  name: "count_from",
  label: "In the period in which it is created",
  kind: "choice",
  half: true,
  options: [
    ["creation", "Count from its creation"],
    ["period_start", "Count what was spent before, too"],
  ],
};

const UNIT: Field = {
  name: "unit",
  label: "Counts",
  kind: "choice",
  half: true,
  options: BUDGET_UNITS.map((unit) => [unit, unit === "usd" ? "US dollars" : toWords(unit)]),
};

/** The fields of a new budget, around those that every budget has. */
export function newBudgetFields({
  name,
  limit,
  terms,
}: {
  readonly name: Field;
  readonly limit: Field;
  readonly terms: readonly Field[];
}): readonly Field[] {
  return [name, ...SCOPE, UNIT, limit, ...terms, COUNT_FROM, ...CALENDAR, ...MATCH];
}

/** The body as the API takes it: a budget has a scope or a match, and a limit of tokens or runs has another name. */
export function newBudgetBody(body: Record<string, unknown>): Record<string, unknown> {
  const { limit_usd: limit, scope_kind: kind, ...others } = body;
  const isMatched = kind === undefined || kind === MATCH_SCOPE;
  const rest: Record<string, unknown> = isMatched ? others : { ...others, scope_kind: kind };
  const matched = isMatched ? { ...rest, match: rest["match"] ?? {} } : rest;
  if (limit === undefined) return matched;
  return (rest["unit"] ?? "usd") === "usd" ? { ...matched, limit_usd: limit } : { ...matched, limit };
}

/** The form's field for what the API complains about. */
export function complaintAt(field: string): string {
  if (field === "limit") return "limit_usd";
  return field === "match" ? "scope_kind" : field;
}
