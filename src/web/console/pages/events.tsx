import { EVENT_KINDS } from "../../../contract/event-kinds.ts";
import type { Event } from "../../../contract/resources/events.ts";
import { formatMoment } from "../view/format.ts";
import { type Filter, Filters, isFiltered } from "../view/filters.tsx";
import { Card, Empty, Head, Pager } from "../view/parts.tsx";
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

const UNDER = "/console/events";

const FILTERS: readonly Filter[] = [
  {
    name: "type",
    title: "Kind",
    options: [["", "Any"], ...EVENT_KINDS.map((kind) => [kind, kind] as const)],
  },
  { name: "from", title: "From", isDate: true },
  { name: "to", title: "Before", isDate: true },
];

const COLUMNS: readonly Column<Event>[] = [
  {
    title: "Event",
    cell: ({ type, id }) => (
      <>
        <strong>{type}</strong>
        <code class="sub">{id}</code>
      </>
    ),
  },
  { title: "At", kind: "moment", cell: ({ created_at }) => formatMoment(created_at) },
  {
    title: "Data",
    cell: ({ data }) => (
      <details>
        <summary>{Object.keys(data).slice(0, 4).join(", ") || "None"}</summary>
        <pre>{JSON.stringify(data, null, 2)}</pre>
      </details>
    ),
  },
];

export async function listEvents(visit: Visit, ask: PageRequest): Promise<PageResponse> {
  const names = FILTERS.map(({ name }) => name);
  const answer = await visit.api.get<ListOf<Event>>(listPath(`${visit.org}/events`, ask.query, names));
  const filtered = isFiltered(FILTERS, ask.query);
  if (answer.body === null && !filtered) return unreadPage(answer, UNDER);
  const rows = answer.body?.data ?? [];
  const content = (
    <>
      <Head title="Events" about="What happened in this organization. Webhooks receive the same events." />
      <Card bare>
        {(rows.length > 0 || filtered) && (
          <Filters path={UNDER} of={FILTERS} query={ask.query} answer={answer} />
        )}
        <Listed
          answer={answer}
          rows={rows}
          icon="events"
          path={UNDER}
          isFiltered={filtered}
          empty={
            <Empty icon="events" title="No events yet">
              An event is written when a threshold is reached, a limit refuses, or something changes.
            </Empty>
          }
        >
          {() => <Table label="Events" columns={COLUMNS} rows={rows} hasFilters />}
        </Listed>
        <Pager {...pagesOf(UNDER, ask.query, answer.body?.next_cursor ?? null)} />
      </Card>
    </>
  );
  return show("Events", UNDER, content, answer.status);
}
