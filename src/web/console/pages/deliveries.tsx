import type { Child } from "hono/jsx";
import type { Delivery, Signing } from "../../../contract/resources/webhooks.ts";
import { moment } from "../view/format.ts";
import { ActionButton } from "../view/form.tsx";
import { noticeAt } from "../view/notice.tsx";
import { Card, Empty, Facts, Pager, Status } from "../view/parts.tsx";
import { type Column, Table } from "../view/table.tsx";
import { type Ask, listPath, type ListOf, pagesOf, type Route, sealOf, type Visit } from "../visit.ts";
import { submit } from "../page/act.ts";
import { refusedPage } from "../page/refused.tsx";

const PATH = "/console/webhooks";

function columns(visit: Visit, here: string): readonly Column<Delivery>[] {
  return [
    {
      title: "Event",
      cell: ({ event_type, id }) => (
        <>
          <strong>{event_type}</strong>
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
    { title: "Next attempt", kind: "moment", cell: (row) => moment(row.next_attempt_at) },
    {
      title: "Actions",
      kind: "actions",
      cell: ({ id }) => (
        <ActionButton
          seal={sealOf(visit)}
          action={`${here}/deliveries/${id}/replay`}
          label="Replay"
          about={`Replay ${id}`}
        />
      ),
    },
  ];
}

/** How a subscription is signed, and what was sent to it. */
export async function deliveryLog(visit: Visit, ask: Ask, id: string): Promise<Child> {
  const path = `${visit.org}/webhooks/${id}`;
  const [signing, deliveries] = await Promise.all([
    visit.api.get<Signing>(`${path}/signing`),
    visit.api.get<ListOf<Delivery>>(listPath(`${path}/deliveries`, ask.query, ["status"])),
  ]);
  const here = `${PATH}/${id}`;
  const { scheme, secret_last4: last4, created_at, previous_expires_at: previous } = signing.body ?? {};
  const rows = deliveries.body?.data ?? [];
  return (
    <>
      <Card title="Signing">
        <Facts
          of={[
            ["Scheme", scheme ?? "–"],
            ["Secret", last4 ? <code>…{last4}</code> : "–"],
            ["Since", moment(created_at)],
            ["Old secret expires", moment(previous)],
          ]}
        />
      </Card>
      <Card title="Deliveries" note="Newest first" bare>
        {rows.length === 0 ? (
          <Empty icon="webhooks" title="No deliveries yet">
            Send a test event to see a delivery.
          </Empty>
        ) : (
          <Table label="Deliveries" columns={columns(visit, here)} rows={rows} />
        )}
        <Pager {...pagesOf(here, ask.query, deliveries.body?.next_cursor ?? null)} />
      </Card>
    </>
  );
}

export const replay: Route = [
  "POST",
  `${PATH}/:id/deliveries/:delivery/replay`,
  (visit, ask) => {
    const { id, delivery } = ask.params;
    const path = `${visit.org}/webhooks/${id}/deliveries/${delivery}/replay`;
    const here = `${PATH}/${id}`;
    return submit(visit, ask, {
      request: { method: "POST", path, body: {} },
      fields: [],
      done: () => noticeAt(here, "replayed"),
      again: (_, answer) => refusedPage(answer, PATH, here),
    });
  },
];
