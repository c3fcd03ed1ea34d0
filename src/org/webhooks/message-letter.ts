import type { MessageFormat } from "../../contract/webhook-formats.ts";
import type { Event } from "../../contract/resources/events.ts";
import { discordBody } from "../../domain/message/discord.ts";
import { emailText } from "../../domain/message/email.ts";
import { eventText } from "../../domain/message/event-text.ts";
import { foreignText, type Message } from "../../domain/message/message.ts";
import { incidentKey, pagerDutyBody, resolvedBody } from "../../domain/message/pagerduty.ts";
import { slackBody } from "../../domain/message/slack.ts";
import { teamsBody } from "../../domain/message/teams.ts";
import type { PostResult } from "../../outbound/post.ts";
import type { Address } from "./address.ts";

export interface Recipient {
  readonly address: string;
  readonly unsubscribe: string;
}

/** A message to be written: the event, and what else is known of it. */
export interface MessageDraft {
  readonly format: MessageFormat;
  readonly address: Address;
  /** The addresses that get a mail, and the link by which each takes itself off. Empty for other formats. */
  readonly recipients: readonly Recipient[];
  readonly orgId: string;
  readonly orgName: string;
  readonly baseUrl: string;
  /** Null if it only ends an incident. */
  readonly event: Event | null;
  readonly limitName: string | null;
  readonly otherEvents: number;
  /** The limit whose incident it ends. */
  readonly resolves: string | null;
}

/** The body of a message. It is the same at every attempt. */
export function messageBody(draft: MessageDraft): string {
  const { format, address, orgId, event, resolves } = draft;
  const routingKey = address.routingKey ?? "";
  if (event === null) return JSON.stringify(resolvedBody(incidentKey(orgId, resolves ?? ""), routingKey));
  const message = messageOf(draft, event);
  switch (format) {
    case "slack":
      return JSON.stringify(slackBody(message));
    case "teams":
      return JSON.stringify(teamsBody(message));
    case "discord":
      return JSON.stringify(discordBody(message));
    case "pagerduty":
      return JSON.stringify(pagerDutyBody(event, message, routingKey));
    case "email":
      return JSON.stringify(emailText(message));
    default:
      return format satisfies never;
  }
}

function messageOf(
  { orgName, baseUrl, limitName, otherEvents: folded }: MessageDraft,
  event: Event,
): Message {
  const { path, facts, ...text } = eventText(event.type, event.data, limitName);
  return {
    ...text,
    facts: [
      ...facts,
      ...(folded === 0 ? [] : [["More like this", String(folded)] as const]),
      ["Organization", foreignText(orgName)],
    ],
    link: new URL(path, baseUrl).href,
  };
}

/** A shorter part of an address is a word, such as `services`. */
const SHORTEST_SECRET = 10;

/** Readers of the delivery log see the answer of a receiver. If it repeats its secret, that is left out. */
export function withoutSecret({ address }: MessageDraft, posted: PostResult): PostResult {
  const { url, routingKey } = address;
  const { pathname, search } = new URL(url);
  const secrets = [
    url,
    `${pathname}${search}`,
    ...pathname.split("/"),
    ...(routingKey === null ? [] : [routingKey]),
  ];
  const excerpt = secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .reduce((text, secret) => text.replaceAll(secret, "[secret]"), posted.excerpt);
  return { ...posted, excerpt };
}
