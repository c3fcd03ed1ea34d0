import type { Child } from "hono/jsx";
import type { AuditEntry } from "../../../../contract/resources/audit-log.ts";
import type { KeptRefusal } from "../../../../contract/resources/refusals.ts";
import { type NameOf, readNames } from "../../names.ts";
import { changedFields } from "../../view/changed-fields.ts";
import { formatMoment } from "../../view/format.ts";
import { refusalsAt } from "../../view/links.ts";
import { Card } from "../../view/parts.tsx";
import { Ref } from "../../view/ref.tsx";
import { Rows } from "../../view/rows.tsx";
import { type Column, Table } from "../../view/table.tsx";
import type { PageRequest, ListOf, Visit } from "../../visit.ts";
import type { Budget } from "../../../../contract/resources/budgets/budgets.ts";
import { RefusalTable } from "../refusals.tsx";

const SHOWN_REFUSALS = 5;
const SHOWN_CHANGES = 10;

/** The refusals of a budget, and who changed it. */
export async function budgetHistory(visit: Visit, _ask: PageRequest, budget: Budget): Promise<Child> {
  const target = new URLSearchParams({ target: budget.id, limit: String(SHOWN_CHANGES) });
  const refusedBy = new URLSearchParams({ limit_id: budget.id, limit: String(SHOWN_REFUSALS) });
  const [refusals, changes] = await Promise.all([
    visit.api.get<ListOf<KeptRefusal>>(`${visit.org}/refusals?${refusedBy}`),
    visit.api.get<ListOf<AuditEntry>>(`${visit.org}/audit-log?${target}`),
  ]);
  const refused = refusals.body?.data ?? [];
  const nameOf = await readNames(visit, [
    ...refused.flatMap(({ limit, key_id }) => [limit, key_id]),
    ...(changes.body?.data ?? []).map(({ actor }) => actor.id),
  ]);
  return (
    <>
      <Card title="Refused" note={<a href={refusalsAt({ limit_id: budget.id })}>All refusals</a>} bare>
        <Rows of={refusals} none="This budget has refused nothing lately.">
          {(rows) => <RefusalTable rows={rows} nameOf={nameOf} />}
        </Rows>
      </Card>
      <Card title="Changes" note={<a href={`/console/audit?${target}`}>Audit trail</a>} bare>
        <Rows of={changes} none="No changes are kept.">
          {(rows) => <Table label="Changes" columns={changed(nameOf)} rows={rows} />}
        </Rows>
      </Card>
    </>
  );
}

const changed = (nameOf: NameOf): readonly Column<AuditEntry>[] => [
  { title: "What", cell: ({ action }) => <strong>{action}</strong> },
  { title: "When", kind: "moment", cell: ({ created_at }) => formatMoment(created_at) },
  { title: "Who", cell: ({ actor }) => <Ref id={actor.id} nameOf={nameOf} /> },
  {
    title: "What was sent",
    cell: ({ detail }) => (
      <ul class="tags">
        {changedFields(detail).map(({ title, value }) => (
          <li>
            {title}: {value}
          </li>
        ))}
      </ul>
    ),
  },
];
