import type { Budget, BudgetGroup } from "../../../contract/resources/budgets.ts";
import { runsBehindGroup } from "../view/behind.ts";
import { dimensionTitle } from "../view/format.ts";
import { Behind, Card, Status, UsedOf } from "../view/parts.tsx";
import { type Column, Table } from "../view/table.tsx";
import type { ListOf, Visit } from "../visit.ts";
import { Amount } from "./budget-amount.tsx";

const MOST_SHOWN = 100;

const groupTitle = (trait: string) => dimensionTitle(trait).toLowerCase();

/** The counters of a budget that has more than one. */
export async function budgetGroups(visit: Visit, budget: Budget) {
  const path = `${visit.org}/budgets/${encodeURIComponent(budget.id)}/groups?limit=${MOST_SHOWN}`;
  const { body } = await visit.api.get<ListOf<BudgetGroup>>(path);
  const rows = body?.data ?? [];
  const note =
    rows.length < MOST_SHOWN
      ? "Each has the whole limit to itself."
      : `The first ${MOST_SHOWN}. Each has the whole limit to itself.`;
  return (
    <Card title={`By ${budget.group_by.map(groupTitle).join(" and ")}`} note={note} bare>
      <Table label="Counters" columns={columnsOf(budget)} rows={rows} />
    </Card>
  );
}

function columnsOf(budget: Budget): readonly Column<BudgetGroup>[] {
  const limit = String(Number(budget.limit) + Number(budget.increase));
  return [
    { title: "Value", cell: ({ group }) => group ?? "None" },
    {
      title: "Used",
      kind: "meter",
      cell: ({ spent, reserved }) => <UsedOf spent={String(spent)} held={String(reserved)} limit={limit} />,
    },
    {
      title: "Spent",
      kind: "number",
      cell: (group) => (
        <Behind href={runsBehindGroup(budget, group)}>
          <Amount of={budget} amount={group.spent} />
        </Behind>
      ),
    },
    { title: "Reserved", kind: "number", cell: ({ reserved }) => <Amount of={budget} amount={reserved} /> },
    { title: "State", cell: ({ status }) => <Status is={status} /> },
  ];
}
