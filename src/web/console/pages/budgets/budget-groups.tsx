import type { Budget, BudgetGroup } from "../../../../contract/resources/budgets/budgets.ts";
import { runsBehindGroup } from "../../view/behind.ts";
import { dimensionTitle } from "../../view/format.ts";
import { Behind, Card, Status, UsedOf } from "../../view/parts.tsx";
import { type Column, Table } from "../../view/table.tsx";
import { Unread } from "../../view/unread.tsx";
import { Amount } from "./budget-amount.tsx";
import { type Counters, limitOf } from "./budget-counters.tsx";

const groupTitle = (trait: string) => dimensionTitle(trait).toLowerCase();

/** The counters of a budget that has more than one. */
export function BudgetGroups({ of, counters }: { of: Budget; counters: Counters }) {
  const { groups, isAll, unread } = counters;
  const note = `${isAll || unread !== null ? "" : `The first ${groups.length}. `}Each has the whole limit to itself.`;
  return (
    <Card title={`By ${of.group_by.map(groupTitle).join(" and ")}`} note={note} bare>
      {unread === null ? (
        <Table label="Counters" columns={columnsOf(of)} rows={groups} />
      ) : (
        <Unread of={unread} />
      )}
    </Card>
  );
}

function columnsOf(budget: Budget): readonly Column<BudgetGroup>[] {
  const limit = limitOf(budget);
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
