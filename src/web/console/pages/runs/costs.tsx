import type { Adjustment } from "../../../../contract/resources/adjustments.ts";
import type { RunResource } from "../../../../contract/resources/runs/runs.ts";
import { count, formatMoment, usd, toWords } from "../../view/format.ts";
import { Usd } from "../../view/money.tsx";
import { Card, type Fact } from "../../view/parts.tsx";
import { Rows } from "../../view/rows.tsx";
import { type Column, Table } from "../../view/table.tsx";
import type { Answer, ListOf, Visit } from "../../visit.ts";

type CostLine = NonNullable<RunResource["cost_breakdown"]>[number];

export function costFacts(run: RunResource, adjustments: readonly Adjustment[]): readonly Fact[] {
  const cost: Fact = ["Cost", <Usd of={run.cost_usd} />];
  const source: Fact = [
    "Cost from",
    run.cost_source === "caller"
      ? "the caller"
      : `the price book${run.price_revision === null ? "" : `, revision ${run.price_revision}`}`,
  ];
  if (adjustments.length === 0) return [cost, source];
  return [
    cost,
    source,
    ["Adjusted by", <Usd of={run.adjusted_usd} />],
    ["Cost with it", <Usd of={run.net_cost_usd} />],
  ];
}

const ENTRIES: readonly Column<CostLine>[] = [
  { title: "For", cell: (entry) => toWords(entry.class) },
  { title: "Quantity", kind: "number", cell: ({ quantity }) => count(quantity) },
  {
    title: "Price",
    kind: "number",
    cell: ({ usd_each, usd_per_mtok }) =>
      usd_each === undefined ? `${usd(usd_per_mtok)} per million` : `${usd(usd_each)} each`,
  },
  { title: "Cost", kind: "number", cell: ({ cost_usd }) => <Usd of={cost_usd} /> },
];

export function Breakdown({ run }: { readonly run: RunResource }) {
  const entries = run.cost_breakdown ?? [];
  if (entries.length === 0) return null;
  return (
    <Card title="Cost" note="What each kind of token and each unit cost." bare>
      <Table label="Cost" columns={ENTRIES} rows={entries} />
    </Card>
  );
}

const ADJUSTMENTS: readonly Column<Adjustment>[] = [
  { title: "Made", kind: "moment", cell: ({ created_at }) => formatMoment(created_at) },
  { title: "Reason", cell: ({ reason }) => reason },
  { title: "Amount", kind: "number", cell: ({ amount_usd }) => <Usd of={amount_usd} /> },
  { title: "Cost then", kind: "number", cell: ({ net_cost_usd }) => <Usd of={net_cost_usd} /> },
];

const MOST_SHOWN = 100;

export function adjustmentsOf(visit: Visit, runId: string): Promise<Answer<ListOf<Adjustment>>> {
  const path = `/v1/runs/${encodeURIComponent(runId)}/adjustments?limit=${MOST_SHOWN}`;
  return visit.api.get<ListOf<Adjustment>>(path);
}

export function Adjustments({ of }: { readonly of: Answer<ListOf<Adjustment>> }) {
  const made = of.body?.data.length ?? 0;
  if (of.body !== null && made === 0) return null;
  const note =
    made < MOST_SHOWN
      ? "Each counts in the period in which it was made."
      : `The latest ${MOST_SHOWN}. Each counts in the period in which it was made.`;
  return (
    <Card title="Adjustments" note={note} bare>
      <Rows of={of} none={null}>
        {(rows) => <Table label="Adjustments" columns={ADJUSTMENTS} rows={rows} />}
      </Rows>
    </Card>
  );
}
