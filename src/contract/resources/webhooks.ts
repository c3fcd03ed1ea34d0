import * as z from "zod";
import { EVENT_KINDS, isEventPattern } from "../event-kinds.ts";
import { idShape } from "../ids.ts";
import { SENT_FORMATS, WEBHOOK_FORMATS } from "../webhook-formats.ts";
import { withRule } from "../field-rules.ts";
import { timestamp, timestampInput } from "../shapes.ts";

/** Webhooks as callers see them. */

export const eventPatterns = z
  .array(
    z.string().refine(isEventPattern, {
      message: "must be an event kind, a group such as budget.*, or *",
      params: { code: "invalid_value" },
    }),
  )
  .min(1)
  .max(50)
  .meta({ description: "Event kinds, groups of them (`budget.*`), or `*`.", examples: [["budget.*"]] });

export const webhookUrl = z
  .string()
  .min(1)
  .meta({
    description: "Where to deliver events: an https URL at a public address.",
    examples: ["https://example.com/hooks"],
  });

export const webhookFormat = z.enum(WEBHOOK_FORMATS).meta({
  description:
    "`sluice`: the event as JSON, signed. Otherwise a message as that product shows it, without a signature: then the address, or PagerDuty's routing key, is a secret and never returned whole.",
});

const routingKey = z
  .string()
  .regex(/^[A-Za-z0-9]{20,64}$/, "must be an integration key of PagerDuty")
  .meta({
    description:
      "The integration key of a PagerDuty service (Events API v2). For that format only, and required there.",
    examples: ["0123456789abcdef0123456789abcdef"],
  });

const MOST_RECIPIENTS = 10;

export const mailAddress = z
  .string()
  .max(254)
  .regex(
    /^[A-Za-z0-9_+-](?:[A-Za-z0-9_.+-]*[A-Za-z0-9_+-])?@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}$/,
    "must be an email address",
  );

const mailAddresses = z
  .array(mailAddress)
  .min(1)
  .max(MOST_RECIPIENTS)
  .meta({
    description: "Who gets mails. Each address is first sent a link by which it confirms itself.",
    examples: [["maya@example.com"]],
  });

export const webhookDescription = z.string().max(500).nullable();

export const webhook = z
  .object({
    id: idShape("sub"),
    kind: z.enum(["webhook", "email"]),
    format: z.enum(SENT_FORMATS),
    to: z.array(z.object({ address: z.string(), confirmed: z.boolean(), unsubscribed: z.boolean() })).meta({
      description:
        "Who gets mails, of kind `email`. Addresses that are not confirmed get none, nor do those that unsubscribed by the link in a mail.",
    }),
    url: z.string().meta({ description: "Of a format of a product, only the host and the last characters." }),
    events: z.array(z.string()),
    description: webhookDescription,
    status: z.enum(["enabled", "disabled"]),
    disabled_reason: z.enum(["requested", "gone", "exhausted"]).nullable().meta({
      description: "`gone`: the receiver answered 410. `exhausted`: every attempt of a delivery failed.",
    }),
    failing: z.boolean().meta({
      description:
        "True if its next delivery has failed at least once and is tried again, or if it was disabled because deliveries failed.",
    }),
    signing_scheme: z.enum(["v1", "v2", "none"]).meta({
      description:
        "`v1` is deprecated. Rotate the secret to switch to `v2`. `none`: messages of a product are not signed.",
    }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "Webhook" });
export type Webhook = z.output<typeof webhook>;

export const createdWebhook = webhook
  .extend({
    secret: z.string().optional().meta({
      description: "The webhook's own signing secret, if it has one. Returned only in this response.",
    }),
  })
  .meta({ id: "CreatedWebhook" });
export type CreatedWebhook = z.output<typeof createdWebhook>;

export const signing = z
  .object({
    scheme: z.enum(["v1", "v2"]),
    secret_last4: z.string(),
    created_at: timestamp,
    previous_expires_at: timestamp
      .nullable()
      .meta({ description: "Until then, deliveries are also signed with the previous secret." }),
  })
  .meta({ id: "WebhookSigning" });
export type Signing = z.output<typeof signing>;

export const rotatedSigning = signing
  .extend({ secret: z.string().meta({ description: "The new secret, returned only in this response." }) })
  .meta({ id: "RotatedWebhookSigning" });

const attempt = z.object({
  attempt: z.int(),
  at: timestamp,
  response_status: z.int().nullable(),
  latency_ms: z.int(),
  error: z.string().nullable(),
  response_excerpt: z.string(),
});
export type AttemptEntry = z.output<typeof attempt>;

export const delivery = z
  .object({
    id: idShape("dlv"),
    event_id: idShape("evt"),
    event_type: z.enum(EVENT_KINDS),
    status: z.enum(["pending", "succeeded", "failed", "folded"]).meta({
      description:
        "`folded`: a later message about the same limit and window took its place before it was sent.",
    }),
    attempts: z.int(),
    response_status: z.int().nullable().meta({ description: "The receiver's last response." }),
    latency_ms: z.int().nullable().meta({ description: "How long the last attempt took." }),
    error: z.string().nullable().meta({ description: "Why the last attempt got no response." }),
    next_attempt_at: timestamp.nullable(),
    replay_of: idShape("dlv").nullable(),
    created_at: timestamp,
    completed_at: timestamp.nullable(),
    attempt_log: z.array(attempt),
  })
  .meta({ id: "WebhookDelivery" });
export type Delivery = z.output<typeof delivery>;

const NOT_OF_MAILS = "must be omitted for mails";

export const newWebhook = withRule(
  z.strictObject({
    kind: z
      .enum(["webhook", "email"])
      .default("webhook")
      .meta({ description: "`email` sends mails `to` addresses, in place of `format` and `url`." }),
    format: webhookFormat.default("sluice"),
    url: webhookUrl.optional(),
    to: mailAddresses.optional(),
    routing_key: routingKey.optional(),
    events: eventPatterns,
    description: webhookDescription.default(null),
  }),
  ({ kind, format, url, to, routing_key: key }, { complain, isWrong }) => {
    if (kind === "email") {
      if (to === undefined && !isWrong("to")) complain(["to"], "required", "is required for mails");
      if (format !== undefined && format !== "sluice") complain(["format"], "invalid_value", NOT_OF_MAILS);
      if (url !== undefined) complain(["url"], "invalid_value", NOT_OF_MAILS);
      if (key !== undefined) complain(["routing_key"], "invalid_value", NOT_OF_MAILS);
      return;
    }
    if (to !== undefined) complain(["to"], "invalid_value", "is for kind email only");
    const isPagerDuty = format === "pagerduty";
    if (url === undefined && !isWrong("url") && format !== undefined && !isPagerDuty) {
      complain(["url"], "required", "is required");
    }
    if (isPagerDuty && key === undefined && !isWrong("routing_key")) {
      complain(["routing_key"], "required", "is required for PagerDuty");
    }
    if (format !== undefined && !isPagerDuty && key !== undefined) {
      complain(["routing_key"], "invalid_value", "is for PagerDuty only");
    }
  },
);
export type NewWebhook = z.output<typeof newWebhook>;

export const webhookChange = z.strictObject({
  format: webhookFormat
    .optional()
    .meta({ description: "With a new `url`, or a `routing_key` for PagerDuty." }),
  url: webhookUrl.optional(),
  routing_key: routingKey.optional(),
  to: mailAddresses.optional(),
  events: eventPatterns.optional(),
  description: webhookDescription.optional(),
  status: z.enum(["enabled", "disabled"]).optional(),
});
export type WebhookChange = z.output<typeof webhookChange>;

export const signingRotation = z.strictObject({ grace_seconds: z.int().min(0).max(604_800).default(86_400) });

export const deliveryRecovery = z.strictObject({ since: timestampInput });

export const recoveredDeliveries = z
  .object({
    queued: z.int().meta({ description: "How many deliveries were queued." }),
    next_since: timestamp.nullable().meta({ description: "Where to go on. Null: everything is queued." }),
  })
  .meta({ id: "RecoveredDeliveries" });
export type RecoveredDeliveries = z.output<typeof recoveredDeliveries>;
