import type { RunResource } from "../../../../contract/resources/runs/runs.ts";
import { count, formatMoment } from "../../view/format.ts";
import { customerAt } from "../../view/links.ts";
import { Usd } from "../../view/money.tsx";
import { type Column, Table } from "../../view/table.tsx";

const COLUMNS: readonly Column<RunResource>[] = [
  {
    title: "Run",
    cell: ({ id, action }) => (
      <>
        <a class="mono" href={`/console/runs/${encodeURIComponent(id)}`}>
          {id}
        </a>
        {action && <span class="sub">{action}</span>}
      </>
    ),
  },
  { title: "Started", kind: "moment", cell: (run) => formatMoment(run.started_at) },
  { title: "Model", kind: "brief", cell: ({ model }) => model },
  {
    title: "For",
    cell: (run) => (
      <>
        {run.workflow_id ?? <span class="quiet">–</span>}
        {run.customer_id && (
          <a class="sub" href={customerAt(run.customer_id)}>
            {run.customer_id}
          </a>
        )}
      </>
    ),
  },
  {
    title: "Tokens in, out",
    kind: "number",
    cell: ({ usage }) => `${count(usage.input_tokens)} · ${count(usage.output_tokens)}`,
  },
  {
    title: "Cost",
    kind: "number",
    cell: ({ cost_usd, net_cost_usd }) => (
      <>
        <Usd of={cost_usd} />
        {net_cost_usd !== cost_usd && (
          <span class="sub">
            <Usd of={net_cost_usd} /> adjusted
          </span>
        )}
      </>
    ),
  },
];

export function RunTable(props: { readonly rows: readonly RunResource[]; readonly hasFilters?: boolean }) {
  return <Table label="Runs" columns={COLUMNS} {...props} />;
}
