import { budgetHistory } from "./budget-history.tsx";
import { DELETE, type Resource } from "../../page/resource.ts";
import type { Budget } from "../../../../contract/resources/budgets/budgets.ts";
import { MATCHED, TAG_PREFIX } from "../../../../contract/dimensions.ts";
import { MATCH_SCOPE, SCOPES } from "../../../../contract/scopes.ts";
import type { Field } from "../../view/field.ts";
import { formatEnd } from "../../view/format.ts";
import { Status } from "../../view/parts.tsx";
import type { Visit } from "../../visit.ts";
import { readTags } from "../overview/tag-names.ts";
import {
  BUDGETED,
  CALENDAR,
  complaintAt,
  COUNT_FROM,
  newBudgetBody,
  newBudgetFields,
} from "./budget-form.ts";
import { spentOf, sumOf, usedOf } from "./budget-counters.tsx";
import { glanceCard } from "./budget-glance.tsx";
import { BudgetGroups, readGroups } from "./budget-groups.tsx";
import { previewText } from "./budget-preview.ts";
import { increaseForAWhile, increasesCard } from "./budget-increases.tsx";
import { Amount } from "./budget-amount.tsx";
import { appliesTo, budgetSentence, isForEveryCall } from "./budget-words.ts";
import { readDays, trendCard } from "./budget-trend.tsx";
import { PERIODS } from "./periods.ts";

const NAME: Field = { name: "name", label: "Name", kind: "text", placeholder: "Support triage" };

const LIMIT_USD: Field = {
  name: "limit_usd",
  label: "Limit",
  kind: "money",
  required: true,
  half: true,
  placeholder: "250.00",
  hint: "Dollars with up to nine decimals, or a whole number of tokens or runs.",
};

/** Of a budget that there is: in its own unit. */
const LIMIT: Field = { ...LIMIT_USD, name: "limit" };

const TERMS: readonly Field[] = [
  { name: "period", label: "Period", kind: "choice", half: true, options: PERIODS },
  {
    name: "mode",
    label: "When the limit is reached",
    kind: "choice",
    half: true,
    options: [
      ["enforce", "Refuse the run"],
      ["shadow", "Report only (shadow)"],
    ],
  },
  {
    name: "alert_thresholds",
    label: "Alert at",
    kind: "shares",
    half: true,
    placeholder: "80%, 100%",
    hint: "Shares of the limit. Each one sends an event once per period.",
  },
];

const PARTS = BUDGETED.filter((kind) => kind !== "org").map((kind) => SCOPES[kind].one);

/** An empty first day is the usual one. */
const CHANGED_CALENDAR = CALENDAR.map((field) =>
  field.name === "anchor_day" ? { ...field, whenEmpty: null } : field,
);

export const budgets: Resource<Budget> = {
  path: "/console/budgets",
  api: "budgets",
  takesLong: true,
  title: "Budgets",
  about: `How much ${anyOf(["The organization", ...PARTS])} may spend per period.`,
  one: "budget",
  icon: "budgets",
  empty: [
    "No budgets yet",
    "A budget is checked before each run and counts amounts that other runs have reserved. Start with one for the whole org. A shadow budget only reports what it would have refused.",
  ],
  role: "admin",
  idOf: ({ id }) => id,
  nameOf: (budget) => budget.name ?? appliesTo(budget),
  subOf: (budget) => `${budget.name === null ? "" : `${appliesTo(budget)}, `}per ${budget.period}`,
  columns: [
    { title: "Used", kind: "meter", cell: usedOf },
    { title: "Spent", kind: "number", cell: spentOf },
    { title: "Reserved", kind: "number", cell: (row) => <Amount of={row} amount={sumOf(row, "reserved")} /> },
    { title: "Limit", kind: "number", cell: limitText },
    { title: "Resets", kind: "moment", cell: (row) => formatEnd(row.period_end) },
    { title: "State", cell: (row) => <Status is={row.mode === "shadow" ? "shadow" : row.status} /> },
  ],
  filters: [
    {
      name: "scope_kind",
      title: "Applies to",
      options: [
        ["", "Anything"],
        ...BUDGETED.map((kind) => [kind, SCOPES[kind].many] as const),
        [MATCH_SCOPE, SCOPES[MATCH_SCOPE].many],
      ],
    },
    { name: "scope_id", title: "Scope id" },
  ],
  create: {
    title: "New budget",
    save: "Create budget",
    fields: newBudgetFields({ name: NAME, limit: LIMIT_USD, terms: TERMS }),
    offers: offeredTags,
    bodyOf: newBudgetBody,
    complaintAt,
    question: (wouldBe, visit) => askOnceMore(wouldBe as Budget, visit),
  },
  change: {
    method: "PATCH",
    fields: [NAME, LIMIT, ...TERMS, COUNT_FROM, ...CHANGED_CALENDAR],
    note: "A higher limit takes effect everywhere within two seconds. If you lower the limit below what is spent, the next run is refused.",
  },
  async above(visit, budget) {
    const days = readDays(visit, budget);
    const [glance, trend] = await Promise.all([
      glanceCard(visit, budget, days),
      trendCard(visit, budget, days),
    ]);
    return (
      <>
        {glance}
        {trend}
      </>
    );
  },
  async below(visit, ask, budget) {
    return (
      <>
        {await increasesCard(visit, budget)}
        {budget.group_by.length > 0 && <BudgetGroups of={budget} groups={await readGroups(visit, budget)} />}
        {await budgetHistory(visit, ask, budget)}
      </>
    );
  },
  actions: [
    increaseForAWhile,
    {
      name: "count-earlier",
      label: "Count what was spent before",
      method: "PATCH",
      api: "",
      body: { count_from: "period_start" },
      isFor: ({ count_from, counts_since, created_at }) =>
        count_from === "creation" && counts_since === created_at,
      confirm: () =>
        "What was spent in this period before the budget was created counts, too. If that passes the limit, the next run is refused.",
    },
    {
      ...DELETE,
      confirm: () => "Runs that only this budget refused will be allowed. Recorded spending is kept.",
    },
  ],
};

/** The tags that runs have. */
async function offeredTags(visit: Visit) {
  const { names, pairs } = await readTags(visit);
  return { "match.tags": pairs, group_by: [...MATCHED, ...names.map((name) => `${TAG_PREFIX}${name}`)] };
}

/** A budget of every call that refuses is easily made by mistake: it takes a limit, and nothing else. */
async function askOnceMore(budget: Budget, visit: Visit): Promise<string | null> {
  if (budget.mode !== "enforce" || budget.group_by.length > 0 || !isForEveryCall(budget)) return null;
  const preview = previewText(budget, await readDays(visit, budget));
  const said = ["It applies to every call of the organization.", budgetSentence(budget), preview];
  return said.filter((text) => text !== null).join(" ");
}

/** "a, b or c". */
function anyOf(names: readonly string[]): string {
  const lower = names.map((name) => name.toLowerCase());
  return [lower.slice(0, -1).join(", "), ...lower.slice(-1)].join(" or ");
}

function limitText(row: Budget) {
  return (
    <>
      <Amount of={row} amount={row.limit} />
      {Number(row.increase) !== 0 && (
        <>
          {" + "}
          <Amount of={row} amount={row.increase} />
        </>
      )}
    </>
  );
}
