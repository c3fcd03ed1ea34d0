/** In which form a webhook sends events: ours, or as a message of a product where people read it. */
export const WEBHOOK_FORMATS = ["sluice", "slack", "teams", "discord", "pagerduty"] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

/** The formats of a webhook: one of these, or mails. */
export const SENT_FORMATS = [...WEBHOOK_FORMATS, "email"] as const;
export type SentFormat = (typeof SENT_FORMATS)[number];

/** The formats that people read. Their address or key is a secret, and a storm of events is folded for them. */
export type MessageFormat = Exclude<SentFormat, "sluice">;
