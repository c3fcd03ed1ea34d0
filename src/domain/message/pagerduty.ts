import type { EventKind } from "../../contract/event-kinds.ts";
import { type EventData, limitIn, textIn } from "./event-data.ts";
import { cutText, type Message } from "./message.ts";

const MOST_KEY = 255;
const MOST_SUMMARY = 1024;

/** Events that end what another kind has begun. */
const ENDS: Partial<Record<EventKind, EventKind>> = {
  "org.resumed": "org.suspended",
  "policy.approval_decided": "policy.approval_requested",
  "support.grant_closed": "support.grant_opened",
};

interface PagedEvent {
  readonly org_id: string;
  readonly id: string;
  readonly type: EventKind;
  readonly created_at: string;
  readonly data: EventData;
}

/** Returns what PagerDuty knows an incident by. It is the same when it begins and when it ends. */
export function incidentKey(orgId: string, about: string): string {
  return `sluice/${orgId}/${about}`.slice(0, MOST_KEY);
}

/** Returns what an incident is about: a limit, an approval, a grant, a rule, a detector, the org, or just one event. */
function incidentOf({ id, type, data }: PagedEvent): string {
  const limit = limitIn(type, data);
  if (limit !== null) return limit;
  const begun = ENDS[type] ?? type;
  if (begun === "org.suspended") return begun;
  const subject = ["approval_id", "grant_id", "rule_id", "detector"].map((field) => textIn(data, field));
  return `${begun}/${subject.find((one) => one !== null) ?? id}`;
}

/** An event of PagerDuty's Events API. */
export function pagerDutyBody(event: PagedEvent, message: Message, routingKey: string): object {
  const dedupKey = incidentKey(event.org_id, incidentOf(event));
  if (ENDS[event.type] !== undefined) return resolvedBody(dedupKey, routingKey);
  const { title, facts, advice, link, severity } = message;
  return {
    routing_key: routingKey,
    event_action: "trigger",
    dedup_key: dedupKey,
    payload: {
      summary: cutText(title, MOST_SUMMARY),
      source: "sluice",
      severity,
      timestamp: event.created_at,
      class: event.type,
      custom_details: { ...Object.fromEntries(facts), "What to do": advice },
    },
    links: [{ href: link, text: "Open in Sluice" }],
  };
}

export function resolvedBody(dedupKey: string, routingKey: string): object {
  return { routing_key: routingKey, event_action: "resolve", dedup_key: dedupKey };
}
