import type { Child } from "hono/jsx";
import type { Budget, BudgetIncrease } from "../../../../contract/resources/budgets/budgets.ts";
import { submit } from "../../page/act.ts";
import { refusedPage } from "../../page/refusal-page.tsx";
import type { Action } from "../../page/resource.ts";
import { formatMoment } from "../../view/format.ts";
import { ActionButton } from "../../view/form.tsx";
import { noticeAt } from "../../view/notice.tsx";
import { Card, Status } from "../../view/parts.tsx";
import { Rows } from "../../view/rows.tsx";
import { type Column, Table } from "../../view/table.tsx";
import { type ListOf, hasRole, type Route, formGuardOf, type Visit } from "../../visit.ts";
import { amountText } from "./budget-words.ts";

const PATH = "/console/budgets";

/** Raises the limit for a while. */
export const increaseForAWhile: Action<Budget> = {
  name: "increase",
  label: "Increase for a while",
  method: "POST",
  api: "/increases",
  fields: [
    {
      name: "amount",
      label: "Increase by",
      kind: "money",
      required: true,
      half: true,
      placeholder: "250.00",
      hint: "Dollars, tokens or runs, as the limit.",
    },
    {
      name: "until",
      label: "Until (UTC)",
      kind: "moment",
      required: true,
      half: true,
      hint: "It ends by itself.",
    },
    { name: "reason", label: "Reason", kind: "text", required: true, placeholder: "Launch week" },
  ],
  notice: "increased",
};

function columns(visit: Visit, budget: Budget): readonly Column<BudgetIncrease>[] {
  const known: readonly Column<BudgetIncrease>[] = [
    { title: "Reason", cell: ({ reason }) => <strong>{reason}</strong> },
    { title: "Amount", kind: "number", cell: ({ amount }) => amountText(budget, amount) },
    { title: "From", kind: "moment", cell: ({ created_at }) => formatMoment(created_at) },
    { title: "Until", kind: "moment", cell: ({ until }) => formatMoment(until) },
    { title: "State", cell: ({ status }) => <Status is={status} /> },
  ];
  if (!hasRole(visit, "admin")) return known;
  const revoke: Column<BudgetIncrease> = {
    title: "Actions",
    kind: "actions",
    cell: ({ id, status, reason }) =>
      status === "active" && (
        <ActionButton
          action={`${PATH}/${budget.id}/increases/${id}/revoke`}
          guard={formGuardOf(visit)}
          label="Revoke"
          about={`Revoke ${reason}`}
          confirm="The limit falls back to what it was. If more is spent already, the next run is refused."
        />
      ),
  };
  return [...known, revoke];
}

export async function increasesCard(visit: Visit, budget: Budget): Promise<Child> {
  const path = `${visit.org}/budgets/${encodeURIComponent(budget.id)}/increases`;
  const answer = await visit.api.get<ListOf<BudgetIncrease>>(path);
  if (answer.body?.data.length === 0) return null;
  return (
    <Card title="Increases" note="Those in force, and the last ones that ended" bare>
      <Rows of={answer} none={null}>
        {(rows) => <Table label="Increases" columns={columns(visit, budget)} rows={rows} />}
      </Rows>
    </Card>
  );
}

export const revokeIncrease: Route = [
  "POST",
  `${PATH}/:id/increases/:increase/revoke`,
  (visit, ask) => {
    const [id, one] = [ask.params["id"] ?? "", ask.params["increase"] ?? ""].map(encodeURIComponent);
    const back = `${PATH}/${id}`;
    const path = `${visit.org}/budgets/${id}/increases/${one}`;
    return submit(visit, ask, {
      request: { method: "DELETE", path, body: null },
      fields: [],
      done: () => noticeAt(back, "revoked"),
      again: (_, answer) => refusedPage(answer, PATH, back),
    });
  },
];
