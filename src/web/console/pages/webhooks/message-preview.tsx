import { EVENT_KINDS, matchesEvent } from "../../../../contract/event-kinds.ts";
import type { Webhook } from "../../../../contract/resources/webhooks.ts";
import { eventText } from "../../../../domain/message/event-text.ts";
import type { Option } from "../../view/field.ts";
import { Card, Facts } from "../../view/parts.tsx";

/** The topics that people can subscribe to, in the order in which most want to. */
const TOPICS = [
  ["budget.*", "Budgets: thresholds, and when one is used up"],
  ["spend_cap.*", "The daily spend cap"],
  ["quota.*", "The prepaid quota runs low or out"],
  ["spend.unusual", "Unusual spend"],
  ["customer_limit.*", "Limits of customers"],
  ["credit_pack.*", "Credit packs"],
  ["plan.*", "The plan"],
  ["policy.approval_requested", "A call waits for approval"],
  ["policy.blocked", "A policy rule refused a call"],
  ["safety.blocked", "Content safety refused a call"],
  ["key.*", "API keys are created, rotated or revoked"],
  ["org.*", "The organization is suspended or resumed"],
  ["support.*", "Support is given access"],
  ["webhook.disabled", "Another webhook stopped working"],
] as const;

/** Every kind of event that no topic has. */
const OTHER_KINDS = EVENT_KINDS.filter(
  (kind) =>
    !matchesEvent(
      TOPICS.map(([pattern]) => pattern),
      kind,
    ),
);

const EVERYTHING = "*";

/** Returns the options to pick: topics, single kinds, everything, and what a subscription has picked already. */
export function eventOptions(chosen: readonly string[] = []): readonly Option[] {
  const known: readonly Option[] = [
    ...TOPICS,
    ...OTHER_KINDS.map((kind) => [kind, kind] as const),
    [EVERYTHING, "Everything"],
  ];
  const others = chosen.filter((pattern) => known.every(([value]) => value !== pattern));
  return [...known, ...others.map((pattern) => [pattern, pattern] as const)];
}

const SAMPLE = {
  budget_id: "bud_…",
  limit_id: "limit",
  scope_kind: "model",
  scope_id: "gpt-4o",
  mode: "enforce",
  spent_usd: "100.00",
  limit_usd: "100.00",
  subject_kind: "model",
  subject_id: "gpt-4o",
  expected_usd: "12.00",
};

/** A sample of what it sends, for formats that people read. */
export function messagePreview({ format, events }: Webhook) {
  const kind =
    EVENT_KINDS.find((one) => one.endsWith(".exceeded") && matchesEvent(events, one)) ??
    EVENT_KINDS.find((one) => matchesEvent(events, one));
  if (format === "sluice" || kind === undefined) return null;
  const { title, facts, advice } = eventText(kind, SAMPLE, "Production");
  return (
    <Card title="What a message looks like" note="A sample. Send a test to see it where it arrives.">
      <p>
        <strong>{title}</strong>
      </p>
      <Facts of={facts} />
      <p class="quiet">{advice}</p>
    </Card>
  );
}
