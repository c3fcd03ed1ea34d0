import type { Child } from "hono/jsx";
import { EVENT_KINDS } from "../../../../contract/event-kinds.ts";
import type { Delivery, Signing } from "../../../../contract/resources/webhooks.ts";
import { formatMoment } from "../../view/format.ts";
import { ActionButton } from "../../view/form.tsx";
import { type Filter, Filters, isFiltered } from "../../view/filters.tsx";
import { Card, Empty, Facts, Pager, Status } from "../../view/parts.tsx";
import { type Column, Table } from "../../view/table.tsx";
import { Listed, Unread } from "../../view/unread.tsx";
import {
  type PageRequest,
  listPath,
  type ListOf,
  pagesOf,
  hasRole,
  formGuardOf,
  type Visit,
} from "../../visit.ts";

const PATH = "/console/webhooks";

function columns(visit: Visit, here: string): readonly Column<Delivery>[] {
  return [
    {
      title: "Event",
      cell: ({ event_type, id }) => (
        <>
          <a href={`${here}/deliveries/${id}`}>{event_type}</a>
          <code class="sub">{id}</code>
        </>
      ),
    },
    { title: "State", cell: ({ status }) => <Status is={status} /> },
    { title: "Attempts", kind: "number", cell: ({ attempts }) => attempts },
    { title: "Answer", kind: "number", cell: ({ response_status: status }) => status ?? "–" },
    {
      title: "Latency",
      kind: "number",
      cell: ({ latency_ms: ms }) => (ms === null || ms === undefined ? "–" : `${ms} ms`),
    },
    { title: "Next attempt", kind: "moment", cell: (row) => formatMoment(row.next_attempt_at) },
    ...(hasRole(visit, "admin") ? [actions(visit, here)] : []),
  ];
}

function actions(visit: Visit, here: string): Column<Delivery> {
  return {
    title: "Actions",
    kind: "actions",
    cell: ({ id }) => (
      <ActionButton
        guard={formGuardOf(visit)}
        action={`${here}/deliveries/${id}/replay`}
        label="Replay"
        about={`Replay ${id}`}
      />
    ),
  };
}

const FILTERS: readonly Filter[] = [
  {
    name: "status",
    title: "State",
    options: [
      ["", "Any"],
      ["pending", "Pending"],
      ["succeeded", "Succeeded"],
      ["failed", "Failed"],
    ],
  },
  {
    name: "event_type",
    title: "Event",
    options: [["", "Any"], ...EVENT_KINDS.map((kind) => [kind, kind] as const)],
  },
];

/** How a subscription is signed, and what was sent to it. */
export async function deliveryLog(visit: Visit, ask: PageRequest, id: string): Promise<Child> {
  const path = `${visit.org}/webhooks/${id}`;
  const [signing, deliveries] = await Promise.all([
    visit.api.get<Signing>(`${path}/signing`),
    visit.api.get<ListOf<Delivery>>(listPath(`${path}/deliveries`, ask.query, ["status", "event_type"])),
  ]);
  const here = `${PATH}/${id}`;
  const { scheme, secret_last4: last4, created_at, previous_expires_at: previous } = signing.body ?? {};
  const rows = deliveries.body?.data ?? [];
  return (
    <>
      <Card title="Signing">
        {signing.body === null ? (
          <Unread of={signing} />
        ) : (
          <Facts
            of={[
              ["Scheme", scheme ?? "–"],
              ["Secret", last4 ? <code>…{last4}</code> : "–"],
              ["Since", formatMoment(created_at)],
              ["Old secret expires", formatMoment(previous)],
            ]}
          />
        )}
      </Card>
      <Failing rows={rows} />
      <Card title="Deliveries" note="Newest first" bare>
        {(rows.length > 0 || isFiltered(FILTERS, ask.query)) && (
          <Filters path={here} of={FILTERS} query={ask.query} answer={deliveries} />
        )}
        <Listed
          answer={deliveries}
          rows={rows}
          icon="webhooks"
          path={here}
          isFiltered={isFiltered(FILTERS, ask.query)}
          empty={
            <Empty icon="webhooks" title="No deliveries yet">
              Send a test event to see a delivery.
            </Empty>
          }
        >
          {() => <Table label="Deliveries" columns={columns(visit, here)} rows={rows} hasFilters />}
        </Listed>
        <Pager {...pagesOf(here, ask.query, deliveries.body?.next_cursor ?? null)} />
      </Card>
    </>
  );
}

/** A receiver that answers with errors is still enabled, until every attempt of a delivery has failed. */
function Failing({ rows }: { rows: readonly Delivery[] }) {
  const tried = rows.filter(({ attempts }) => attempts > 0);
  const since = tried.findIndex(({ status }) => status === "succeeded");
  const failing = since === -1 ? tried.length : since;
  if (failing === 0) return null;
  return (
    <div class="notice bad" role="status">
      <strong>
        {failing === 1 ? "The latest delivery has" : `The latest ${failing} deliveries have`} not arrived.
      </strong>{" "}
      {tried[0]?.error ?? (tried[0]?.response_status && `The receiver answers ${tried[0].response_status}.`)}
    </div>
  );
}
