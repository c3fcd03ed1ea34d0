import { DAY_MS } from "../../../contract/durations.ts";
import { Later } from "../../later.tsx";
import { type NameOf, readNames } from "../names.ts";
import { count, formatMoment, toWords } from "../view/format.ts";
import type { AuditEntry, AuditVerification } from "../../../contract/resources/audit-log.ts";
import { type Filter, Filters, isFiltered } from "../view/filters.tsx";
import { Badge, Card, Head, NoMatch, Pager, Status } from "../view/parts.tsx";
import { Ref } from "../view/ref.tsx";
import { type Column, Table } from "../view/table.tsx";
import { Listed, Unread } from "../view/unread.tsx";
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

const UNDER = "/console/audit";

export async function listAudit(visit: Visit, ask: PageRequest): Promise<PageResponse> {
  const answer = await visit.api.get<ListOf<AuditEntry>>(
    listPath(
      `${visit.org}/audit-log`,
      ask.query,
      FILTERS.map(({ name }) => name),
    ),
  );
  const filtered = isFiltered(FILTERS, ask.query);
  if (answer.body === null && !filtered) return unreadPage(answer, UNDER);
  const entries = answer.body?.data ?? [];
  const nameOf = await readNames(
    visit,
    entries.flatMap(({ target, actor }) => [target, actor.id]),
  );
  const content = (
    <>
      <Head
        title="Audit trail"
        about="Every change, and who made it. Each entry is chained to the previous one, so entries that are changed, moved or missing are detected."
      >
        <a class="button" href={`${UNDER}?verify=yes#verification`}>
          Verify the chain
        </a>
      </Head>
      <Card title="Export" bare>
        <ExportForm nowMs={visit.nowMs} />
      </Card>
      <Card bare>
        <Filters path={UNDER} of={FILTERS} query={ask.query} answer={answer} />
        <Listed
          answer={answer}
          rows={entries}
          icon="audit"
          path={UNDER}
          isFiltered={filtered}
          empty={<NoMatch icon="audit" path={UNDER} />}
        >
          {() => <Table label="Audit entries" columns={columns(nameOf)} rows={entries} hasFilters />}
        </Listed>
        <Pager {...pagesOf(UNDER, ask.query, answer.body?.next_cursor ?? null)} />
      </Card>
      {ask.query.has("verify") && (
        <div id="verification">
          <Later read={() => readVerification(visit)} />
        </div>
      )}
    </>
  );
  return show("Audit trail", UNDER, content, answer.status);
}

const FILTERS: readonly Filter[] = [
  { name: "action", title: "What" },
  { name: "actor_id", title: "Actor id" },
  {
    name: "outcome",
    title: "Outcome",
    options: [
      ["", "Any"],
      ["done", "Done"],
      ["refused", "Refused"],
      ["read", "Read"],
    ],
  },
  { name: "target", title: "Target id" },
  { name: "trace_id", title: "Trace" },
  { name: "from", title: "From", isDate: true },
  { name: "to", title: "Before", isDate: true },
];

/** Verification reads the whole trail, so it runs only on request. */
async function readVerification(visit: Visit) {
  const answer = await visit.api.get<AuditVerification>(`${visit.org}/audit-log/verify`);
  if (answer.body === null)
    return (
      <Card title="Verification" bare>
        <Unread of={answer} />
      </Card>
    );
  const { valid, checked } = answer.body;
  return (
    <Card title="Verification">
      <Badge tone={valid ? "good" : "bad"}>
        {valid ? "Chain verified" : "Chain broken"}, {count(checked)} entries
      </Badge>
    </Card>
  );
}

/** Most kinds of change name one thing by its id, which is shown with its name. */
const columns = (nameOf: NameOf): readonly Column<AuditEntry>[] => [
  { title: "What", kind: "brief", cell: ({ action }) => <strong>{action}</strong> },
  {
    title: "On",
    cell: ({ target }) =>
      target === null ? <span class="quiet">–</span> : <Ref id={target} nameOf={nameOf} />,
  },
  { title: "When", kind: "moment", cell: (entry) => formatMoment(entry.created_at) },
  {
    title: "Who",
    cell: ({ actor }) => (
      <>
        <Ref id={actor.id} nameOf={nameOf} />
        {!/^(key|ses)_/.test(actor.id) && <span class="sub">{toWords(actor.kind)}</span>}
        {actor.on_behalf_of && <span class="sub">for {actor.on_behalf_of}</span>}
      </>
    ),
  },
  { title: "Outcome", cell: ({ outcome }) => <Status is={outcome} /> },
  {
    title: "Trace",
    kind: "moment",
    cell: ({ trace_id }) => (
      <a class="nowrap" href={`${UNDER}?${new URLSearchParams({ trace_id })}`} title={trace_id}>
        {trace_id.slice(0, 8)}
      </a>
    ),
  },
  { title: "Entry", kind: "number", cell: ({ seq }) => seq },
];

const on = (ms: number) => new Date(ms).toISOString().slice(0, 10);

function ExportForm({ nowMs }: { nowMs: number }) {
  return (
    <form class="filters" method="get" action={`${UNDER}/export`}>
      <div>
        <label for="export-from">From</label>
        <input id="export-from" name="from" type="date" value={on(nowMs - 30 * DAY_MS)} />
      </div>
      <div>
        <label for="export-to">Before</label>
        <input id="export-to" name="to" type="date" value={on(nowMs + DAY_MS)} />
      </div>
      <div>
        <label for="format">Format</label>
        <select id="format" name="format">
          <option value="ndjson">NDJSON</option>
          <option value="csv">CSV</option>
          <option value="ocsf">OCSF</option>
        </select>
      </div>
      <button type="submit">Download</button>
    </form>
  );
}
