import { count, moment, usd, words } from "../view/format.ts";
import type { RunResource } from "../../../contract/resources/runs.ts";
import { NAMED_FIELDS, SCOPE_FIELDS } from "../../../contract/scopes.ts";
import { type Filter, Filters, isFiltered } from "../view/filters.tsx";
import { Card, Empty, type Fact, Facts, Head, NoMatch, Pager } from "../view/parts.tsx";
import { type Column, Table } from "../view/table.tsx";
import { type Ask, listPath, type ListOf, pagesOf, show, type Shown, type Visit } from "../visit.ts";
import { refusedPage } from "../page/refused.tsx";
import { Adjustments, adjustmentsOf, Breakdown, costFacts } from "./run-costs.tsx";

const UNDER = "/console/runs";
const FILTERS: readonly Filter[] = [
  { name: "model", title: "Model" },
  { name: "action", title: "Action" },
  ...NAMED_FIELDS.map(([kind, name]) => ({ name, title: words(kind) })),
  { name: "chain_id", title: "Chain" },
  { name: "from", title: "From", isDate: true },
  { name: "to", title: "To (exclusive)", isDate: true },
  {
    name: "sort",
    title: "Order",
    options: [
      ["-started_at", "Newest first"],
      ["started_at", "Oldest first"],
      ["-cost_usd", "Most expensive first"],
    ],
  },
];

type Charge = NonNullable<RunResource["charges"]>[number];

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
  { title: "Started", kind: "moment", cell: (run) => moment(run.started_at) },
  { title: "Model", cell: ({ model }) => model },
  {
    title: "For",
    cell: (run) => (
      <>
        {run.workflow_id ?? <span class="quiet">–</span>}
        {run.customer_id && <span class="sub">{run.customer_id}</span>}
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
        {usd(cost_usd)}
        {net_cost_usd !== cost_usd && <span class="sub">{usd(net_cost_usd)} adjusted</span>}
      </>
    ),
  },
];

const CHARGES: readonly Column<Charge>[] = [
  {
    title: "Limit",
    cell: ({ kind, id }) => (
      <>
        <strong>{words(kind)}</strong>
        {id && <code class="sub">{id}</code>}
      </>
    ),
  },
  {
    title: "Amount",
    kind: "number",
    cell: ({ amount, amount_usd }) => (amount_usd === undefined ? count(amount) : usd(amount_usd)),
  },
];

const EXAMPLE = `curl $BASE/v1/runs -H "Authorization: Bearer $KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"started_at":"2026-11-15T09:00:00Z","model":"acme/m1",
       "usage":{"input_tokens":900,"output_tokens":120},"cost_usd":"0.0123"}'`;

export async function listRuns(visit: Visit, ask: Ask): Promise<Shown> {
  const names = FILTERS.map(({ name }) => name);
  const answer = await visit.api.get<ListOf<RunResource>>(listPath("/v1/runs", ask.query, names));
  const filtered = isFiltered(FILTERS, ask.query);
  if (answer.body === null && !filtered) return refusedPage(answer, UNDER);
  const runs = answer.body?.data ?? [];
  const content = (
    <>
      <Head title="Runs" about="Every reported run, what it cost, and which limits it was charged to." />
      <Card bare>
        {(runs.length > 0 || filtered) && (
          <Filters path={UNDER} of={FILTERS} query={ask.query} answer={answer} />
        )}
        {runs.length > 0 ? (
          <Table label="Runs" columns={COLUMNS} rows={runs} />
        ) : filtered ? (
          <NoMatch icon="runs" path={UNDER} />
        ) : (
          <Empty icon="runs" title="No runs yet" action={<pre>{EXAMPLE}</pre>}>
            Report a run when it ends. It is charged to every limit that applies.
          </Empty>
        )}
        <Pager {...pagesOf(UNDER, ask.query, answer.body?.next_cursor ?? null)} />
      </Card>
    </>
  );
  return show("Runs", UNDER, content, answer.status);
}

/** The scopes that a run can name, by field. */
const TITLES: Readonly<Partial<Record<string, string>>> = Object.fromEntries(
  FILTERS.map(({ name, title }) => [name, title]),
);

export async function showRun(visit: Visit, ask: Ask): Promise<Shown> {
  const answer = await visit.api.get<RunResource & Record<string, unknown>>(
    `/v1/runs/${encodeURIComponent(ask.params["id"] ?? "")}`,
  );
  const run = answer.body;
  if (run === null) return refusedPage(answer, UNDER);
  const shown = ["model", "action", ...SCOPE_FIELDS, "reservation_id", "approval_id"];
  const adjustments = await adjustmentsOf(visit, run.id);
  const facts: Fact[] = [
    ["Started", moment(run.started_at)],
    ["Ended", moment(run.ended_at)],
    ...shown.flatMap((name): [string, string][] =>
      typeof run[name] === "string" ? [[TITLES[name] ?? words(name), run[name]]] : [],
    ),
    ["Tokens in", count(run.usage.input_tokens)],
    ["Tokens out", count(run.usage.output_tokens)],
    ...costFacts(run, adjustments),
  ];
  const content = (
    <>
      <Head title="Run" about={<code>{run.id}</code>} />
      <div class="columns">
        <Card title="Details">
          <Facts of={facts} />
        </Card>
        <Card title="Charges" bare>
          <Table label="Charges" columns={CHARGES} rows={run.charges ?? []} />
        </Card>
      </div>
      <Breakdown run={run} />
      <Adjustments of={adjustments} />
    </>
  );
  return show("Run", UNDER, content);
}
