import { KEPT_CODES } from "../../../contract/kept-refusals.ts";
import type { KeptRefusal } from "../../../contract/resources/refusals.ts";
import { type NameOf, readNames } from "../names.ts";
import { formatMoment, toWords } from "../view/format.ts";
import { type Filter, Filters, isFiltered } from "../view/filters.tsx";
import { REFUSALS_ARE_KEPT } from "../view/refusal-retention.ts";
import { customerAt, pageOf } from "../view/links.ts";
import { Usd } from "../view/money.tsx";
import { Card, Empty, Head, Pager } from "../view/parts.tsx";
import { Id } from "../view/ref.tsx";
import { type Column, Table } from "../view/table.tsx";
import { Listed } from "../view/unread.tsx";
import {
  type PageRequest,
  listPath,
  type ListOf,
  pagesOf,
  show,
  type PageResponse,
  type Visit,
} from "../visit.ts";
import { unreadPage } from "../page/refusal-page.tsx";

const UNDER = "/console/refusals";

const FILTERS: readonly Filter[] = [
  {
    name: "code",
    title: "Code",
    options: [["", "Any"], ...KEPT_CODES.map((code) => [code, toWords(code)] as const)],
  },
  { name: "limit_id", title: "Limit" },
  { name: "customer_id", title: "Customer" },
  { name: "workflow_id", title: "Workflow" },
  { name: "key_id", title: "Key" },
  { name: "trace_id", title: "Trace" },
  { name: "from", title: "From", isDate: true },
  { name: "to", title: "Before", isDate: true },
];

export async function listRefusals(visit: Visit, ask: PageRequest): Promise<PageResponse> {
  const names = FILTERS.map(({ name }) => name);
  const answer = await visit.api.get<ListOf<KeptRefusal>>(
    listPath(`${visit.org}/refusals`, ask.query, names),
  );
  const filtered = isFiltered(FILTERS, ask.query);
  if (answer.body === null && !filtered) return unreadPage(answer, UNDER);
  const rows = answer.body?.data ?? [];
  const nameOf = await readNames(
    visit,
    rows.flatMap(({ limit, key_id }) => [limit, key_id]),
  );
  const content = (
    <>
      <Head title="Refusals" about={`Calls that a limit or a rule refused. ${REFUSALS_ARE_KEPT}`} />
      <Card bare>
        {(rows.length > 0 || filtered) && (
          <Filters path={UNDER} of={FILTERS} query={ask.query} answer={answer} />
        )}
        <Listed
          answer={answer}
          rows={rows}
          icon="refusals"
          path={UNDER}
          isFiltered={filtered}
          empty={
            <Empty icon="refusals" title="Nothing was refused">
              When a limit or a rule refuses a call, it appears here within two seconds.
            </Empty>
          }
        >
          {() => <RefusalTable rows={rows} nameOf={nameOf} />}
        </Listed>
        <Pager {...pagesOf(UNDER, ask.query, answer.body?.next_cursor ?? null)} />
      </Card>
    </>
  );
  return show("Refusals", UNDER, content, answer.status);
}

export function RefusalTable({ rows, nameOf }: { rows: readonly KeptRefusal[]; nameOf: NameOf }) {
  return <Table label="Refusals" columns={columns(nameOf)} rows={rows} hasFilters />;
}

function columns(nameOf: NameOf): readonly Column<KeptRefusal>[] {
  return [
    {
      title: "Why",
      cell: ({ id, code, trace_id, status }) => (
        <>
          <a href={`/console/explain?${new URLSearchParams({ refusal_id: id })}`}>{toWords(code)}</a>
          <span class="sub id" title={trace_id}>
            {status} · <code>{trace_id}</code>
          </span>
        </>
      ),
    },
    { title: "At", kind: "moment", cell: ({ at }) => formatMoment(at) },
    {
      title: "Limit",
      cell: ({ limit }) => (
        <>
          <a href={pageOf(limit)}>{nameOf(limit)}</a>
          {nameOf(limit) !== limit && <Id of={limit} />}
        </>
      ),
    },
    {
      title: "Who",
      cell: (row) => (
        <>
          {row.customer_id ? (
            <a href={customerAt(row.customer_id)}>{row.customer_id}</a>
          ) : (
            (row.workflow_id ?? <span class="quiet">–</span>)
          )}
          {row.key_id && <span class="sub">{nameOf(row.key_id)}</span>}
        </>
      ),
    },
    {
      title: "What",
      kind: "brief",
      cell: ({ model, operation }) => (
        <>
          {model ?? <span class="quiet">–</span>}
          <span class="sub">{operation}</span>
        </>
      ),
    },
    { title: "Amount", kind: "number", cell: ({ amount_usd }) => <Usd of={amount_usd} /> },
  ];
}
