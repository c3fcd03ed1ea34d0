import { moment } from "../view/format.ts";
import { ActionButton, BLANK, type Draft, Form, Problems, TextField } from "../view/form.tsx";
import { Notice, noticeAt } from "../view/notice.tsx";
import { Card, Empty, Facts, Head, Pager, Secret, Status, Table } from "../view/parts.tsx";
import {
  type Ask,
  bodyOf,
  listPath,
  type ListOf,
  pagesOf,
  show,
  type Shown,
  submit,
  type Visit,
} from "../visit.ts";
import { act } from "./act.ts";
import { refusedPage } from "./refused.tsx";

const UNDER = "/console/webhooks";
const COLUMNS = [{ title: "Receiver" }, { title: "Events" }, { title: "State" }, { title: "Made" }];
const DELIVERIES = [
  { title: "Event" },
  { title: "State" },
  { title: "Attempts", end: true },
  { title: "Answer", end: true },
  { title: "Latency", end: true },
  { title: "Next attempt" },
  { title: "Actions", hidden: true },
];

interface Subscription {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly description?: string | null;
  readonly status: string;
  readonly created_at: string;
  readonly secret?: string;
}

interface Signing {
  readonly scheme: string;
  readonly secret_last4: string | null;
  readonly created_at: string | null;
  readonly previous_expires_at: string | null;
}

interface Delivery {
  readonly id: string;
  readonly event_type: string;
  readonly status: string;
  readonly attempts: number;
  readonly response_status?: number | null;
  readonly latency_ms?: number | null;
  readonly next_attempt_at: string | null;
  readonly created_at: string;
}

export async function listWebhooks(visit: Visit, ask: Ask): Promise<Shown> {
  const answer = await visit.api.get<ListOf<Subscription>>(listPath(`${visit.org}/webhooks`, ask.query, []));
  if (answer.body === null) return refusedPage(answer, UNDER);
  const create = (
    <a class="button primary" href="/console/webhooks/new">
      New subscription
    </a>
  );
  const content = (
    <>
      <Head
        title="Webhooks"
        about="Where events are delivered: at least once, in order, signed, each receiver on its own."
      >
        {create}
      </Head>
      <Notice ask={ask} />
      <Card bare>
        {answer.body.data.length === 0 ? (
          <Empty icon="webhooks" title="Nobody is told yet" action={create}>
            Subscribe an https address to <code>budget.*</code> and it hears of each threshold and each
            refusal.
          </Empty>
        ) : (
          <Table label="Subscriptions" columns={COLUMNS}>
            {answer.body.data.map((subscription) => (
              <tr>
                <td>
                  <a href={`${UNDER}/${subscription.id}`}>{subscription.url}</a>
                  <span class="sub">{subscription.description}</span>
                </td>
                <td>{subscription.events.join(", ")}</td>
                <td>
                  <Status is={subscription.status} />
                </td>
                <td class="nowrap">{moment(subscription.created_at)}</td>
              </tr>
            ))}
          </Table>
        )}
        <Pager {...pagesOf(UNDER, ask.query, answer.body.next_cursor)} />
      </Card>
    </>
  );
  return show("Webhooks", UNDER, content);
}

function newPage(visit: Visit, draft: Draft, status = 200): Shown {
  const content = (
    <>
      <Head title="New subscription" />
      <Problems draft={draft} />
      <Card>
        <Form action={UNDER} csrf={visit.visitor.csrf} once={visit.once()}>
          <TextField
            name="url"
            label="Address"
            required
            draft={draft}
            placeholder="https://example.com/hooks"
            hint="https, and not on a private network."
          />
          <TextField
            name="events"
            label="Events"
            required
            draft={draft}
            placeholder="budget.*, key.revoked"
            hint="Kinds, or a family with a star."
          />
          <TextField name="description" label="Description" draft={draft} />
          <div class="inline">
            <button class="primary" type="submit">
              Subscribe
            </button>
            <a class="button" href={UNDER}>
              Cancel
            </a>
          </div>
        </Form>
      </Card>
    </>
  );
  return show("New subscription", UNDER, content, status);
}

export async function newWebhook(visit: Visit): Promise<Shown> {
  return newPage(visit, BLANK);
}

function withSecret(title: string, id: string, secret: string): Shown {
  const content = (
    <>
      <Head title={title} />
      <Secret title="Signing secret" value={secret}>
        Verify every delivery with it. It is shown this once.
      </Secret>
      <p>
        <a href={`${UNDER}/${id}`}>To the subscription</a>
      </p>
    </>
  );
  return show(title, UNDER, content, 201);
}

export function createWebhook(visit: Visit, ask: Ask): Promise<Shown> {
  const body = bodyOf(ask.form, { url: "text", events: "list", description: "text" });
  return submit(
    visit,
    ask,
    { method: "POST", path: `${visit.org}/webhooks`, body },
    (made) => {
      const { id, secret } = made as Subscription;
      return secret ? withSecret("Subscribed", id, secret) : noticeAt(UNDER, "created");
    },
    (draft, status) => newPage(visit, draft, status),
  );
}

export async function showWebhook(visit: Visit, ask: Ask): Promise<Shown> {
  const path = `${visit.org}/webhooks/${ask.params["id"]}`;
  const [answer, signing, deliveries] = await Promise.all([
    visit.api.get<Subscription>(path),
    visit.api.get<Signing>(`${path}/signing`),
    visit.api.get<ListOf<Delivery>>(listPath(`${path}/deliveries`, ask.query, ["status"])),
  ]);
  const subscription = answer.body;
  if (subscription === null) return refusedPage(answer, UNDER);
  const here = `${UNDER}/${subscription.id}`;
  const form = { csrf: visit.visitor.csrf };
  const content = (
    <>
      <Head title={subscription.url} about={<code>{subscription.id}</code>}>
        <ActionButton {...form} once={visit.once()} action={`${here}/test`} label="Send a test" />
        <ActionButton {...form} once={visit.once()} action={`${here}/rotate`} label="Rotate the secret" />
        <ActionButton {...form} once={visit.once()} action={`${here}/delete`} label="Delete" danger />
      </Head>
      <Notice ask={ask} />
      <Card title="Subscription">
        <Facts
          of={[
            ["State", <Status is={subscription.status} />],
            ["Events", subscription.events.join(", ")],
            [
              "Signed",
              signing.body
                ? `${signing.body.scheme}, secret …${signing.body.secret_last4 ?? ""}, since ${moment(signing.body.created_at)}`
                : "–",
            ],
            ["Old secret until", moment(signing.body?.previous_expires_at)],
          ]}
        />
      </Card>
      <DeliveryLog visit={visit} here={here} ask={ask} deliveries={deliveries.body} />
    </>
  );
  return show("Webhook", UNDER, content);
}

function DeliveryLog(props: { visit: Visit; here: string; ask: Ask; deliveries: ListOf<Delivery> | null }) {
  const { visit, here, deliveries } = props;
  return (
    <Card title="Deliveries" note="Newest first" bare>
      {deliveries === null || deliveries.data.length === 0 ? (
        <Empty icon="webhooks" title="Nothing was delivered yet">
          Send a test to see how a delivery looks.
        </Empty>
      ) : (
        <Table label="Deliveries" columns={DELIVERIES}>
          {deliveries.data.map((delivery) => (
            <tr>
              <td>
                {delivery.event_type}
                <span class="sub mono">{delivery.id}</span>
              </td>
              <td>
                <Status is={delivery.status} />
              </td>
              <td class="end number">{delivery.attempts}</td>
              <td class="end number">{delivery.response_status ?? "–"}</td>
              <td class="end number">
                {delivery.latency_ms === null || delivery.latency_ms === undefined
                  ? "–"
                  : `${delivery.latency_ms} ms`}
              </td>
              <td class="nowrap">{moment(delivery.next_attempt_at)}</td>
              <td>
                <ActionButton
                  csrf={visit.visitor.csrf}
                  once={visit.once()}
                  action={`${here}/deliveries/${delivery.id}/replay`}
                  label="Replay"
                  about={`Replay ${delivery.id}`}
                />
              </td>
            </tr>
          ))}
        </Table>
      )}
      <Pager {...pagesOf(here, props.ask.query, deliveries?.next_cursor ?? null)} />
    </Card>
  );
}

export async function rotateSigning(visit: Visit, ask: Ask): Promise<Shown> {
  const id = ask.params["id"] ?? "";
  const path = `${visit.org}/webhooks/${id}/signing/rotate`;
  const answer = await visit.api.send<{ secret: string }>(
    "POST",
    path,
    {},
    ask.form.get("_once") ?? visit.once(),
  );
  return answer.body === null
    ? refusedPage(answer, UNDER)
    : withSecret("Secret rotated", id, answer.body.secret);
}

export function testWebhook(visit: Visit, ask: Ask): Promise<Shown> {
  const id = ask.params["id"];
  return act(visit, ask, ["POST", `${visit.org}/webhooks/${id}/test`, {}], [`${UNDER}/${id}`, "tested"]);
}

export function replayDelivery(visit: Visit, ask: Ask): Promise<Shown> {
  const { id, delivery } = ask.params;
  return act(
    visit,
    ask,
    ["POST", `${visit.org}/webhooks/${id}/deliveries/${delivery}/replay`, {}],
    [`${UNDER}/${id}`, "replayed"],
  );
}

export function deleteWebhook(visit: Visit, ask: Ask): Promise<Shown> {
  return act(visit, ask, ["DELETE", `${visit.org}/webhooks/${ask.params["id"]}`, null], [UNDER, "deleted"]);
}
