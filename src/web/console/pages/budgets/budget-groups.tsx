import type { Budget, BudgetGroup } from "../../../../contract/resources/budgets/budgets.ts";
import { runsBehindGroup } from "../../view/behind.ts";
import { dimensionTitle } from "../../view/format.ts";
import { Behind, Card, Status, UsedOf } from "../../view/parts.tsx";
import { type Column, Table } from "../../view/table.tsx";
import { Unread } from "../../view/unread.tsx";
import { Amount } from "./budget-amount.tsx";
import { limitOf } from "./budget-counters.tsx";
import type { Answer, ListOf, Visit } from "../../visit.ts";

const groupTitle = (trait: string) => dimensionTitle(trait).toLowerCase();

const MOST_COUNTERS = 200;

export function readGroups(visit: Visit, { id }: Budget): Promise<Answer<ListOf<BudgetGroup>>> {
  return visit.api.get<ListOf<BudgetGroup>>(
    `${visit.org}/budgets/${encodeURIComponent(id)}/groups?limit=${MOST_COUNTERS}`,
  );
}

/** The counters of a budget that has more than one. */
export function BudgetGroups({ of, groups }: { of: Budget; groups: Answer<ListOf<BudgetGroup>> }) {
  const { body } = groups;
  const isCut = body !== null && body.next_cursor !== null;
  const note = `${isCut ? `The first ${body.data.length}. ` : ""}Each has the whole limit to itself.`;
  return (
    <Card title={`By ${of.group_by.map(groupTitle).join(" and ")}`} note={note} bare>
      {body === null ? (
        <Unread of={groups} />
      ) : (
        <Table label="Counters" columns={columnsOf(of)} rows={body.data} />
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
