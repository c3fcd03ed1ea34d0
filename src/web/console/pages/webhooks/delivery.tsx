import type { Event } from "../../../../contract/resources/events.ts";
import type { AttemptEntry, Delivery } from "../../../../contract/resources/webhooks.ts";
import { Later } from "../../../later.tsx";
import { submit } from "../../page/act.ts";
import { refusedPage, unreadPage } from "../../page/refusal-page.tsx";
import { ActionButton } from "../../view/form.tsx";
import { formatMoment } from "../../view/format.ts";
import { noticeAt } from "../../view/notice.tsx";
import { Card, Facts, Head, Status } from "../../view/parts.tsx";
import { type Column, Table } from "../../view/table.tsx";
import { type Failed, Unread } from "../../view/unread.tsx";
import {
  type Answer,
  type PageRequest,
  type ListOf,
  hasRole,
  type Route,
  formGuardOf,
  show,
  type PageResponse,
  type Visit,
} from "../../visit.ts";

const PATH = "/console/webhooks";
/** How far back a delivery is looked for: pages of 200. */
const MOST_PAGES = 5;

const GONE: Failed = {
  status: 404,
  error: { code: "not_found", message: "There is no such delivery among the latest.", details: {} },
  trace: null,
};

/** A delivery of a subscription, or why it is not shown. */
async function findDelivery(visit: Visit, id: string, sought: string): Promise<Delivery | Failed> {
  let cursor: string | null = "";
  for (let pages = 0; pages < MOST_PAGES && cursor !== null; pages += 1) {
    const query = new URLSearchParams({ limit: "200", ...(cursor && { cursor }) });
    const answer: Answer<ListOf<Delivery>> = await visit.api.get<ListOf<Delivery>>(
      `${visit.org}/webhooks/${id}/deliveries?${query}`,
    );
    if (answer.body === null) return answer;
    const found = answer.body.data.find((delivery) => delivery.id === sought);
    if (found !== undefined) return found;
    cursor = answer.body.next_cursor;
  }
  return GONE;
}

/** One delivery: what was sent, and every attempt with the receiver's answer. */
export async function showDelivery(visit: Visit, ask: PageRequest): Promise<PageResponse> {
  const id = encodeURIComponent(ask.params["id"] ?? "");
  const here = `${PATH}/${id}`;
  const found = await findDelivery(visit, id, ask.params["delivery"] ?? "");
  if ("trace" in found) return unreadPage(found, PATH, here);
  const content = (
    <>
      <Head title="Delivery" about={<code>{found.id}</code>}>
        {hasRole(visit, "admin") && (
          <ActionButton
            guard={formGuardOf(visit)}
            action={`${here}/deliveries/${found.id}/replay`}
            label="Replay"
          />
        )}
        <a class="button" href={here}>
          Back
        </a>
      </Head>
      <Card>
        <Facts
          of={[
            ["Event", found.event_type],
            ["State", <Status is={found.status} />],
            ["Created", formatMoment(found.created_at)],
            ["Completed", formatMoment(found.completed_at)],
            ["Next attempt", formatMoment(found.next_attempt_at)],
            ...(found.replay_of === null
              ? []
              : [
                  [
                    "Replay of",
                    <a href={`${here}/deliveries/${found.replay_of}`}>{found.replay_of}</a>,
                  ] as const,
                ]),
          ]}
        />
      </Card>
      <Card title="Attempts" bare>
        {found.attempt_log.length === 0 ? (
          <p class="note-line">None yet.</p>
        ) : (
          <Table label="Attempts" columns={ATTEMPTS} rows={found.attempt_log} />
        )}
      </Card>
      <Later read={() => readPayload(visit, found)} />
    </>
  );
  return show("Delivery", PATH, content);
}

async function readPayload(visit: Visit, of: Delivery) {
  const events = await eventsAround(visit, of);
  const event = events.body?.data.find((one) => one.id === of.event_id);
  return (
    <Card title="Payload">
      {events.body === null ? (
        <Unread of={events} />
      ) : event === undefined ? (
        <p class="quiet">The event is no longer stored.</p>
      ) : (
        <pre>{JSON.stringify(event, null, 2)}</pre>
      )}
    </Card>
  );
}

/** Events have no page of their own: the one of a delivery was written just before it. */
function eventsAround(visit: Visit, { event_type: type, created_at }: Delivery) {
  const at = Date.parse(created_at);
  const range = { from: new Date(at - 60_000).toISOString(), to: new Date(at + 1000).toISOString() };
  const query = new URLSearchParams({ type, limit: "200", ...range });
  return visit.api.get<ListOf<Event>>(`${visit.org}/events?${query}`);
}

const ATTEMPTS: readonly Column<AttemptEntry>[] = [
  { title: "Attempt", cell: ({ attempt }) => <strong>{attempt}</strong> },
  { title: "At", kind: "moment", cell: ({ at }) => formatMoment(at) },
  { title: "Answer", kind: "number", cell: ({ response_status }) => response_status ?? "None" },
  { title: "Latency", kind: "number", cell: ({ latency_ms }) => `${latency_ms} ms` },
  { title: "Error", cell: ({ error }) => error ?? <span class="quiet">–</span> },
  {
    title: "Said",
    cell: ({ response_excerpt: said }) => (said === "" ? <span class="quiet">–</span> : <code>{said}</code>),
  },
];

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
