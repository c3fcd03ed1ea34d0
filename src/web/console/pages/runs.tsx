import { count, moment, usd, words } from "../view/format.ts";
import { Card, Empty, Facts, Head, Pager, Table } from "../view/parts.tsx";
import { type Ask, listPath, type ListOf, pagesOf, show, type Shown, type Visit } from "../visit.ts";
import { refusedPage } from "./refused.tsx";

const UNDER = "/console/runs";
const FILTERS = [
  "model",
  "action",
  "workflow_id",
  "deployment_id",
  "department_id",
  "customer_id",
  "chain_id",
  "from",
  "to",
] as const;
const TITLES: Readonly<Partial<Record<string, string>>> = {
  workflow_id: "Workflow",
  deployment_id: "Deployment",
  department_id: "Department",
  customer_id: "Customer",
  chain_id: "Chain",
};
const COLUMNS = [
  { title: "Started" },
  { title: "Run" },
  { title: "Model" },
  { title: "For" },
  { title: "Tokens in, out", end: true },
  { title: "Cost", end: true },
];

interface Run {
  readonly id: string;
  readonly started_at: string;
  readonly ended_at?: string | null;
  readonly model: string;
  readonly action?: string | null;
  readonly workflow_id?: string | null;
  readonly customer_id?: string | null;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
  readonly cost_usd: string;
  readonly charges?: readonly {
    readonly kind: string;
    readonly id: string | null;
    readonly amount_usd?: string;
    readonly amount?: number;
  }[];
}

const EXAMPLE = `curl $BASE/v1/runs -H "Authorization: Bearer $KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"started_at":"2026-11-15T09:00:00Z","model":"acme/m1",
       "usage":{"input_tokens":900,"output_tokens":120},"cost_usd":"0.0123"}'`;

export async function listRuns(visit: Visit, ask: Ask): Promise<Shown> {
  const answer = await visit.api.get<ListOf<Run>>(listPath("/v1/runs", ask.query, FILTERS));
  const filtered = FILTERS.some((name) => ask.query.get(name));
  if (answer.body === null && !filtered) return refusedPage(answer, UNDER);
  const runs = answer.body?.data ?? [];
  const content = (
    <>
      <Head title="Runs" about="Every run that was reported, with what it cost and what it was charged to." />
      {answer.error && (
        <div class="notice bad" role="alert">
          {fieldMessages(answer.error.details) || answer.error.message}
        </div>
      )}
      <Card bare>
        <Filters query={ask.query} />
        {runs.length === 0 ? (
          <Empty
            icon="runs"
            title={filtered ? "No run matches" : "No runs yet"}
            action={filtered ? undefined : <pre>{EXAMPLE}</pre>}
          >
            {filtered
              ? "Fewer filters, or a wider range, may show some."
              : "Report a run when it has ended; every limit that applies is charged at once."}
          </Empty>
        ) : (
          <Table label="Runs" columns={COLUMNS}>
            {runs.map((run) => (
              <RunRow run={run} />
            ))}
          </Table>
        )}
        <Pager {...pagesOf(UNDER, ask.query, answer.body?.next_cursor ?? null)} />
      </Card>
    </>
  );
  return show("Runs", UNDER, content, answer.error === null ? 200 : answer.status);
}

function fieldMessages(details: object): string {
  const { fields = [] } = details as { fields?: readonly { field: string; message: string }[] };
  return fields.map(({ field, message }) => `${words(field)}: ${message}.`).join(" ");
}

function Filters({ query }: { query: URLSearchParams }) {
  return (
    <form class="filters" method="get" action={UNDER}>
      {FILTERS.map((name) => (
        <div>
          <label for={name}>{TITLES[name] ?? words(name)}</label>
          <input
            id={name}
            name={name}
            type={name === "from" || name === "to" ? "date" : "text"}
            value={query.get(name) ?? ""}
            autocomplete="off"
          />
        </div>
      ))}
      <div>
        <label for="sort">Order</label>
        <select id="sort" name="sort">
          {[
            ["-started_at", "Newest first"],
            ["started_at", "Oldest first"],
            ["-cost_usd", "Dearest first"],
          ].map(([value, title]) => (
            <option value={value} selected={query.get("sort") === value}>
              {title}
            </option>
          ))}
        </select>
      </div>
      <button type="submit">Filter</button>
    </form>
  );
}

function RunRow({ run }: { run: Run }) {
  return (
    <tr>
      <td class="nowrap">{moment(run.started_at)}</td>
      <td>
        <a class="mono" href={`/console/runs/${encodeURIComponent(run.id)}`}>
          {run.id}
        </a>
      </td>
      <td>
        {run.model}
        {run.action && <span class="sub">{run.action}</span>}
      </td>
      <td>
        {run.workflow_id ?? <span class="quiet">–</span>}
        {run.customer_id && <span class="sub">{run.customer_id}</span>}
      </td>
      <td class="end number">
        {count(run.usage.input_tokens)} · {count(run.usage.output_tokens)}
      </td>
      <td class="end number">{usd(run.cost_usd)}</td>
    </tr>
  );
}

export async function showRun(visit: Visit, ask: Ask): Promise<Shown> {
  const answer = await visit.api.get<Run & Record<string, unknown>>(
    `/v1/runs/${encodeURIComponent(ask.params["id"] ?? "")}`,
  );
  const run = answer.body;
  if (run === null) return refusedPage(answer, UNDER);
  const shown = [
    "model",
    "action",
    "workflow_id",
    "deployment_id",
    "department_id",
    "customer_id",
    "reservation_id",
    "approval_id",
  ];
  const facts: [string, string][] = [
    ["Started", moment(run.started_at)],
    ["Ended", moment(run.ended_at)],
    ...shown.flatMap((name): [string, string][] =>
      typeof run[name] === "string" ? [[TITLES[name] ?? words(name), run[name]]] : [],
    ),
    ["Tokens in", count(run.usage.input_tokens)],
    ["Tokens out", count(run.usage.output_tokens)],
    ["Cost", usd(run.cost_usd)],
  ];
  const content = (
    <>
      <Head title="Run" about={<code>{run.id}</code>} />
      <div class="columns">
        <Card title="What it was">
          <Facts of={facts} />
        </Card>
        <Card title="What it was charged to" bare>
          <Table
            label="Charges"
            columns={[{ title: "Limit" }, { title: "Id" }, { title: "Amount", end: true }]}
          >
            {(run.charges ?? []).map((charge) => (
              <tr>
                <td>{words(charge.kind)}</td>
                <td class="mono small">{charge.id ?? "–"}</td>
                <td class="end number">
                  {charge.amount_usd === undefined ? count(charge.amount) : usd(charge.amount_usd)}
                </td>
              </tr>
            ))}
          </Table>
        </Card>
      </div>
    </>
  );
  return show("Run", UNDER, content);
}
