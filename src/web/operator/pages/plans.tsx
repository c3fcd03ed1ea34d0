import type { PlanTerms } from "../../../contract/resources/plans.ts";
import { BLANK, bodyOf, type FormValues, type Field } from "../../console/view/field.ts";
import { count } from "../../console/view/format.ts";
import { Notice, noticeAt } from "../../console/view/notice.tsx";
import { Card, Head } from "../../console/view/parts.tsx";
import { Table } from "../../console/view/table.tsx";
import { type PageRequest, type ListOf, show, type PageResponse } from "../../console/visit.ts";
import { submit } from "../../console/page/act.ts";
import { unreadPage } from "../../console/page/refusal-page.tsx";
import { SaveCard } from "../save-card.tsx";
import type { OperatorVisit } from "../visit.ts";

const UNDER = "/operator/plans";
const FIELDS: readonly Field[] = [
  {
    name: "plan",
    label: "Plan",
    kind: "text",
    required: true,
    inPath: true,
    hint: "A new name makes a new plan.",
  },
  {
    name: "runs_limit",
    label: "Runs per month",
    kind: "integer",
    whenEmpty: null,
    hint: "Empty: unlimited.",
    half: true,
  },
  {
    name: "tokens_limit",
    label: "Tokens per month",
    kind: "integer",
    whenEmpty: null,
    hint: "Empty: unlimited.",
    half: true,
  },
  {
    name: "overage_policy",
    label: "Above the plan",
    kind: "choice",
    options: [
      ["block", "Refuse"],
      ["allow", "Allow"],
    ],
  },
];

function limit(number: number | null): string {
  return number === null ? "unlimited" : count(number);
}

export function listPlans(visit: OperatorVisit, ask: PageRequest): Promise<PageResponse> {
  return plansPage(visit, ask, BLANK, 200);
}

async function plansPage(
  visit: OperatorVisit,
  ask: PageRequest,
  draft: FormValues,
  status: number,
): Promise<PageResponse> {
  const answer = await visit.api.get<ListOf<PlanTerms>>("/v1/admin/plans?limit=200");
  if (answer.body === null) return unreadPage(answer, UNDER, UNDER);
  const content = (
    <>
      <Head title="Plans" about="What each plan includes in a calendar month." />
      <Notice ask={ask} />
      <Card bare>
        <Table
          label="Plans"
          columns={[
            { title: "Plan", cell: ({ plan }) => plan },
            { title: "Runs", kind: "number", cell: ({ runs_limit }) => limit(runs_limit) },
            { title: "Tokens", kind: "number", cell: ({ tokens_limit }) => limit(tokens_limit) },
            {
              title: "Above it",
              cell: ({ overage_policy }) => (overage_policy === "block" ? "refused" : "allowed"),
            },
          ]}
          rows={answer.body.data}
        />
      </Card>
      <SaveCard title="Create or change a plan" action={UNDER} fields={FIELDS} draft={draft} visit={visit} />
    </>
  );
  return show("Plans", UNDER, content, status);
}

export function savePlan(visit: OperatorVisit, ask: PageRequest): Promise<PageResponse> {
  const plan = ask.form.get("plan")?.trim() ?? "";
  if (plan === "") {
    const draft = { values: Object.fromEntries(ask.form), errors: { plan: "is required" }, problem: null };
    return plansPage(visit, ask, draft, 422);
  }
  return submit(visit, ask, {
    request: {
      method: "PUT",
      path: `/v1/admin/plans/${encodeURIComponent(plan)}`,
      body: bodyOf(ask.form, FIELDS),
    },
    fields: FIELDS,
    done: () => noticeAt(UNDER, "saved"),
    again: (draft, { status }) => plansPage(visit, ask, draft, status),
  });
}
