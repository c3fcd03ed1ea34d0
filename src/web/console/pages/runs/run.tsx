import type { RunResource } from "../../../../contract/resources/runs/runs.ts";
import { NAMED_FIELDS } from "../../../../contract/scopes.ts";
import { TOKEN_PARTS } from "../../../../contract/token-classes.ts";
import { Later } from "../../../later.tsx";
import { type NameOf, readNames } from "../../names.ts";
import { unreadPage } from "../../page/refusal-page.tsx";
import { count, formatMoment, toWords } from "../../view/format.ts";
import { customerAt, pageOf } from "../../view/links.ts";
import { Usd } from "../../view/money.tsx";
import { Badge, Card, type Fact, Facts, Head } from "../../view/parts.tsx";
import { type Column, Table } from "../../view/table.tsx";
import {
  type Answer,
  type PageRequest,
  type ListOf,
  show,
  type PageResponse,
  type Visit,
} from "../../visit.ts";
import { ChainCard } from "./chain.tsx";
import { Adjustments, adjustmentsOf, Breakdown, costFacts } from "./costs.tsx";

const UNDER = "/console/runs";
const MOST_IN_CHAIN = 200;

type Charge = RunResource["charges"][number];

export async function showRun(visit: Visit, ask: PageRequest): Promise<PageResponse> {
  const answer = await visit.api.get<RunResource>(`/v1/runs/${encodeURIComponent(ask.params["id"] ?? "")}`);
  const run = answer.body;
  if (run === null) return unreadPage(answer, UNDER);
  const content = (
    <>
      <Head title="Run" about={<code>{run.id}</code>}>
        <a class="button" href={`/console/explain?${new URLSearchParams({ run_id: run.id })}`}>
          Explain
        </a>
      </Head>
      <Later read={() => readDetails(visit, run)} />
    </>
  );
  return show("Run", UNDER, content);
}

async function readDetails(visit: Visit, run: RunResource) {
  const [adjustments, chain, nameOf] = await Promise.all([
    adjustmentsOf(visit, run.id),
    run.chain === null ? null : chainOf(visit, run.chain.chain_id),
    readNames(visit, [run.key_id, ...run.charges.map(({ id }) => id)]),
  ]);
  return (
    <>
      <div class="columns">
        <Card title="Details" note={<States of={run} />}>
          <Facts of={[...factsOf(run, nameOf), ...costFacts(run, adjustments.body?.data ?? [])]} />
        </Card>
        <Card title="Charged to" bare>
          <Table label="Charges" columns={chargeColumns(nameOf)} rows={run.charges} />
          <Uncovered of={run} />
        </Card>
      </div>
      <Breakdown run={run} />
      <Shadow of={run} />
      {run.chain && chain && <ChainCard runs={chain} own={run.id} chainId={run.chain.chain_id} />}
      <Adjustments of={adjustments} />
      {run.metadata && (
        <Card title="Metadata">
          <pre>{JSON.stringify(run.metadata, null, 2)}</pre>
        </Card>
      )}
    </>
  );
}

function chainOf(visit: Visit, chainId: string): Promise<Answer<ListOf<RunResource>>> {
  const query = new URLSearchParams({ chain_id: chainId, sort: "started_at", limit: String(MOST_IN_CHAIN) });
  return visit.api.get<ListOf<RunResource>>(`/v1/runs?${query}`);
}

function States({ of }: { of: RunResource }) {
  const { outcome, estimated, incurred } = of;
  return (
    <>
      {outcome !== "completed" && <Badge tone="warn">{toWords(outcome)}</Badge>}{" "}
      {estimated && <Badge tone="warn">Estimated</Badge>}{" "}
      {incurred && <Badge tone="plain">Reported as incurred</Badge>}
    </>
  );
}

const text = (title: string, value: string | null): Fact[] => (value === null ? [] : [[title, value]]);

function factsOf(run: RunResource, nameOf: NameOf): Fact[] {
  const parts = TOKEN_PARTS.flatMap(({ field }): Fact[] => {
    const some = run.usage[field];
    return some === undefined || some === 0 ? [] : [[toWords(field), count(some)]];
  });
  const tags = Object.entries(run.tags);
  return [
    ["Started", formatMoment(run.started_at)],
    ["Ended", formatMoment(run.ended_at)],
    ["Model", run.model],
    ...text("Requested model", run.requested_model),
    ...text("Chosen by fallback", run.fallback),
    ...text("Variant", run.variant),
    ...text("Provider", run.provider),
    ...text("Action", run.action),
    ...NAMED_FIELDS.flatMap(([kind, field]): Fact[] => {
      const value = run[field];
      if (value === null || value === undefined) return [];
      return [[toWords(kind), field === "customer_id" ? <a href={customerAt(value)}>{value}</a> : value]];
    }),
    ...text("User", run.user_id),
    ...(run.key_id === null ? [] : [["Key", <a href={pageOf(run.key_id)}>{nameOf(run.key_id)}</a>] as const]),
    ...(tags.length === 0
      ? []
      : [
          [
            "Tags",
            <ul class="tags">
              {tags.map(([name, value]) => (
                <li>
                  {name}: {value}
                </li>
              ))}
            </ul>,
          ] as const,
        ]),
    ["Tokens in", count(run.usage.input_tokens)],
    ["Tokens out", count(run.usage.output_tokens)],
    ...parts,
    ...Object.entries(run.usage.units ?? {}).map(([unit, some]): Fact => [toWords(unit), count(some)]),
    ...(run.reservation_id === null
      ? []
      : [
          [
            "Reservation",
            <a href={`/console/explain?${new URLSearchParams({ reservation_id: run.reservation_id })}`}>
              {run.reservation_id}
            </a>,
          ] as const,
        ]),
    ...(run.approval_id === null
      ? []
      : [["Approval", <a href={pageOf(run.approval_id)}>{run.approval_id}</a>] as const]),
    ["Recorded", formatMoment(run.recorded_at)],
    ["Counted in the periods of", formatMoment(run.charged_at)],
  ];
}

function chargeColumns(nameOf: NameOf): readonly Column<Charge>[] {
  return [
    {
      title: "Limit",
      cell: ({ kind, id }) => (
        <>
          <a href={pageOf(id)}>{nameOf(id)}</a>
          {id !== kind && (
            <span class="sub">
              {toWords(kind)} <code>{id}</code>
            </span>
          )}
        </>
      ),
    },
    {
      title: "Amount",
      kind: "number",
      cell: ({ amount, amount_usd }) => (amount_usd === undefined ? count(amount) : <Usd of={amount_usd} />),
    },
    {
      title: "Over the limit",
      kind: "number",
      cell: ({ over, over_usd }) =>
        over_usd === undefined && over === undefined ? (
          <span class="quiet">–</span>
        ) : (
          <Badge tone="bad">{over_usd === undefined ? count(over) : <Usd of={over_usd} />}</Badge>
        ),
    },
  ];
}

function Uncovered({ of }: { of: RunResource }) {
  if (of.uncovered_usd === null || Number(of.uncovered_usd) === 0) return null;
  return (
    <p class="note-line">
      The customer’s credits did not cover <Usd of={of.uncovered_usd} />.
    </p>
  );
}

const SHADOW: readonly Column<RunResource["shadow"][number]>[] = [
  { title: "Would have been", cell: ({ code }) => <strong>{toWords(code)}</strong> },
  { title: "Status", kind: "number", cell: ({ status }) => status },
  { title: "Details", cell: ({ details }) => <code>{JSON.stringify(details)}</code> },
];

function Shadow({ of }: { of: RunResource }) {
  if (of.shadow.length === 0) return null;
  return (
    <Card title="Shadow" note="Limits that would have refused it, if they were enforced" bare>
      <Table label="Shadow refusals" columns={SHADOW} rows={of.shadow} />
    </Card>
  );
}
