import { DELETE, type Resource } from "../../page/resource.ts";
import type {
  CreatedWebhook,
  Delivery,
  RecoveredDeliveries,
} from "../../../../contract/resources/webhooks.ts";
import type { Field } from "../../view/field.ts";
import { formatMoment } from "../../view/format.ts";
import { noticeAt } from "../../view/notice.tsx";
import { secretPage, Status } from "../../view/parts.tsx";
import { show, type PageResponse } from "../../visit.ts";
import { deliveryLog } from "./deliveries.tsx";
import { messagePreview, eventOptions } from "./message-preview.tsx";

const PATH = "/console/webhooks";

const FIELDS: readonly Field[] = [
  {
    name: "url",
    label: "Address",
    kind: "text",
    required: true,
    placeholder: "https://example.com/hooks",
    hint: "An https URL on a public network.",
  },
  {
    name: "events",
    label: "Hear about",
    kind: "checks",
    required: true,
    options: eventOptions(),
  },
  { name: "description", label: "Description", kind: "text" },
];

const CREATED: readonly Field[] = [
  {
    name: "format",
    label: "Sent as",
    kind: "choice",
    options: [
      ["sluice", "Signed JSON, for a program"],
      ["slack", "Slack message"],
      ["teams", "Teams message"],
      ["discord", "Discord message"],
      ["pagerduty", "PagerDuty incident"],
      ["email", "Mail"],
    ],
  },
  {
    name: "url",
    label: "Address",
    kind: "text",
    placeholder: "https://example.com/hooks",
    hint: "An https URL on a public network, or the one that the product gave you. Not for mail.",
  },
  { name: "routing_key", label: "Integration key", kind: "secret", hint: "For PagerDuty only." },
  { name: "to", label: "Mail to", kind: "list", hint: "Up to 10 addresses, which confirm themselves first." },
  { name: "events", label: "Hear about", kind: "checks", options: eventOptions() },
  { name: "description", label: "Description", kind: "text" },
];

/** Events may be typed, too. */
function withEvents({ events, ...body }: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(events)) return body;
  return { ...body, events: events.flatMap((one) => String(one).split(/[\s,]+/)) };
}

/** The choice of mail is a kind of the API. */
function createdBody({ format, events, ...body }: Record<string, unknown>): Record<string, unknown> {
  const given = withEvents({ events });
  if (format === "email") return { ...body, ...given, kind: "email" };
  return { ...body, ...given, ...(format === undefined ? {} : { format }) };
}

const STATUS: Field = {
  name: "status",
  label: "Deliveries",
  kind: "choice",
  options: [
    ["enabled", "Sent"],
    ["disabled", "Paused"],
  ],
};

const REASONS = {
  requested: "Paused by a person",
  gone: "The receiver answered 410",
  exhausted: "Every attempt of a delivery failed",
} as const;

function secretShown(title: string, id: string, secret: string): PageResponse {
  const text = "Use it to verify every delivery. Copy it now: no other page shows it.";
  const content = secretPage(
    title,
    ["Signing secret", secret, text],
    [`${PATH}/${id}`, "Go to the subscription"],
  );
  return show(title, PATH, content, 201);
}

/** A part is queued at once. The rest is recovered by sending the form again. */
function recovered({ queued, next_since }: RecoveredDeliveries, id: string): PageResponse {
  if (queued === 0) return noticeAt(`${PATH}/${id}`, "nothing_missed");
  return noticeAt(`${PATH}/${id}`, next_since === null ? "recovered" : "recovered_part");
}

/** Programs are sent their test later. People see at once how it was answered. */
function tested(answer: unknown, id: string): PageResponse {
  const { attempts, status } = answer as Delivery;
  if (attempts === 0) return noticeAt(`${PATH}/${id}`, "tested");
  return noticeAt(`${PATH}/${id}`, status === "succeeded" ? "test_taken" : "test_refused");
}

export const webhooks: Resource<CreatedWebhook> = {
  path: PATH,
  api: "webhooks",
  title: "Webhooks",
  about:
    "Where events are delivered. Deliveries are signed, in order, and sent at least once. Each receiver has its own queue.",
  one: "subscription",
  icon: "webhooks",
  empty: [
    "No webhooks yet",
    <>
      Subscribe an https address to <code>budget.*</code> to receive every threshold, and the first refusal of
      each period.
    </>,
  ],
  role: "admin",
  idOf: ({ id }) => id,
  nameOf: ({ url }) => url,
  subOf: ({ description }) => description,
  columns: [
    { title: "Events", cell: ({ events }) => events.join(", ") },
    {
      title: "State",
      cell: ({ status, failing, disabled_reason: why }) => (
        <>
          <Status is={failing ? "failing" : status} />
          {why !== null && <span class="sub">{REASONS[why]}</span>}
          {failing && why === null && (
            <span class="sub">Its next delivery has failed and is tried again</span>
          )}
        </>
      ),
    },
    { title: "Created", kind: "moment", cell: (row) => formatMoment(row.created_at) },
  ],
  create: {
    title: "New subscription",
    save: "Subscribe",
    fields: CREATED,
    bodyOf: createdBody,
    complaintAt: (field) => (field === "kind" ? "format" : field),
    done(made) {
      const { id, secret } = made as CreatedWebhook;
      return secret ? secretShown("Subscribed", id, secret) : noticeAt(PATH, "created");
    },
  },
  change: {
    method: "PATCH",
    fields: [...FIELDS, STATUS],
    fieldsOf: ({ events }) =>
      [...FIELDS, STATUS].map((field) =>
        field.name === "events" ? { ...field, options: eventOptions(events) } : field,
      ),
    bodyOf: withEvents,
  },
  actions: [
    { name: "test", label: "Send test event", method: "POST", api: "/test", done: tested },
    {
      name: "rotate",
      label: "Rotate secret",
      method: "POST",
      api: "/signing/rotate",
      fields: [
        {
          name: "grace_seconds",
          label: "Keep signing with the old secret for",
          kind: "integer",
          options: [
            ["86400", "1 day"],
            ["3600", "1 hour"],
            ["604800", "1 week"],
            ["0", "No grace period"],
          ],
        },
      ],
      done: (answer, id) => secretShown("Secret rotated", id, (answer as { secret: string }).secret),
    },
    {
      name: "recover",
      label: "Recover deliveries",
      method: "POST",
      api: "/recover",
      fields: [
        {
          name: "since",
          label: "Since (UTC)",
          kind: "moment",
          required: true,
          hint: "Sends every event since then that did not arrive: failed deliveries, and events from while it was paused.",
        },
      ],
      isFor: ({ status }) => status === "enabled",
      done: (answer, id) => recovered(answer as RecoveredDeliveries, id),
    },
    { ...DELETE, confirm: ({ url }) => `Deliveries to ${url} stop, and its delivery log is deleted.` },
  ],
  above: async (_visit, row) => messagePreview(row),
  below: (visit, ask, { id }) => deliveryLog(visit, ask, id),
};
