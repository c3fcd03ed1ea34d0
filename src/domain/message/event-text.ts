import type { EventKind } from "../../contract/event-kinds.ts";
import { dollarsIn, type EventData, textIn } from "./event-data.ts";
import { digestText } from "./digest-text.ts";
import { limitText } from "./limit-text.ts";
import { type EventText, type Fact, foreignText, momentText, quoteText, type Severity } from "./message.ts";

/** One kind of event that is not about a limit: its words, the fields that are worth showing, and where the console shows it. */
interface KindText {
  readonly title: string;
  readonly advice: string;
  readonly path: string;
  /** A field whose value completes the path. */
  readonly at?: string;
  readonly shows?: Readonly<Record<string, string>>;
  readonly severity?: Severity;
}

const RUN = { path: "/console/runs", advice: "Nothing needs to be done. The console has the details." };
const KEY = {
  path: "/console/keys/",
  at: "key_id",
  advice: "If you did not expect this, revoke the key and read the audit log.",
} as const;
const GRANT = { path: "/console/support", shows: { reason: "Reason", expires_at: "Until" } } as const;

const TEXTS: Partial<Record<EventKind, KindText>> = {
  "run.recorded": { ...RUN, title: "A run was recorded", shows: { count: "Runs", cost_usd: "Cost" } },
  "run.over_limit": {
    path: "/console/runs",
    title: "A run cost more than a limit had room for",
    advice: "It was recorded, because it had happened. Check the estimates of these calls.",
    shows: { run_id: "Run", limit_id: "Limit", cost_usd: "Cost" },
    severity: "warning",
  },
  "run.adjusted": {
    ...RUN,
    title: "The cost of a run was adjusted",
    shows: { run_id: "Run", amount_usd: "By" },
  },
  "run.replaced": { ...RUN, title: "A run took the place of its estimate", shows: { run_id: "Run" } },
  "reservation.expired": {
    path: "/console/refusals",
    title: "A reservation expired without a run",
    advice: "Report every run, or release its reservation. Until then the limits count it.",
    shows: { reservation_id: "Reservation", amount_usd: "Reserved" },
  },
  "policy.blocked": {
    path: "/console/policies/",
    at: "rule_id",
    title: "A policy rule refused a call",
    advice: "Check the call, or change the rule.",
    shows: { reason: "Reason", attempted: "Attempted" },
    severity: "warning",
  },
  "policy.approval_requested": {
    path: "/console/approvals/",
    at: "approval_id",
    title: "A call waits for approval",
    advice: "Approve or deny it.",
    shows: { reason: "Reason", attempted: "Attempted" },
    severity: "warning",
  },
  "policy.approval_decided": {
    path: "/console/approvals/",
    at: "approval_id",
    title: "An approval was decided",
    advice: "Nothing needs to be done.",
    shows: { decision: "Decision" },
  },
  "safety.blocked": {
    path: "/console/safety",
    title: "Content safety refused a call",
    advice: "Check the call, or change the detector.",
    shows: { detector: "Detector" },
    severity: "warning",
  },
  "key.created": { ...KEY, title: "An API key was created", shows: { name: "Name", role: "Role" } },
  "key.rotated": { ...KEY, title: "An API key was rotated" },
  "key.revoked": { ...KEY, title: "An API key was revoked" },
  "org.suspended": {
    path: "/console/settings",
    title: "The organization is suspended, and all calls are refused",
    advice: "Ask whoever runs Sluice.",
    severity: "error",
  },
  "org.resumed": {
    path: "/console/settings",
    title: "The organization is no longer suspended",
    advice: "Nothing needs to be done.",
  },
  "webhook.disabled": {
    path: "/console/webhooks/",
    at: "webhook_id",
    title: "A webhook was disabled, because its receiver does not accept deliveries",
    advice: "Repair the receiver, enable the webhook and recover what it missed.",
    shows: { url: "Address", reason: "Reason" },
    severity: "error",
  },
  "support.grant_opened": {
    ...GRANT,
    title: "Support was given access to the organization",
    advice: "If you did not expect this, close the grant.",
    severity: "warning",
  },
  "support.grant_closed": {
    path: "/console/support",
    title: "Support no longer has access to the organization",
    advice: "Nothing needs to be done.",
  },
  "test.ping": {
    path: "/console/webhooks/",
    at: "webhook_id",
    title: "This is a test",
    advice: "Nothing needs to be done: messages from Sluice arrive here.",
  },
};

/** Returns what people are told of an event. `limitName` is the name of the limit that it is about, if that has one. */
export function eventText(kind: EventKind, data: EventData, limitName: string | null): EventText {
  if (kind === "digest.ready") return digestText(data);
  if (kind === "spend.unusual") return unusualText(data);
  const known = TEXTS[kind];
  if (known === undefined) return limitText(kind, data, limitName);
  const { title, advice, path, at, shows = {}, severity = "info" } = known;
  const end = at === undefined ? "" : encodeURIComponent(textIn(data, at) ?? "");
  const facts = Object.entries(shows).flatMap(([field, label]): Fact[] => {
    const shown = shownIn(data, field);
    return shown === null ? [] : [[label, shown]];
  });
  return { title, facts, advice, path: `${path}${end}`, severity };
}

function shownIn(data: EventData, field: string): string | null {
  if (field.endsWith("_usd")) return dollarsIn(data, field);
  const value = data[field];
  if (typeof value === "number") return String(value);
  if (typeof value !== "string" || value === "") return null;
  if (field.endsWith("_at")) return momentText(value);
  return field.endsWith("_id") ? foreignText(value) : quoteText(value);
}

const SUBJECTS: Readonly<Record<string, string>> = { model: "Model", key: "Key", user: "User" };

function unusualText(data: EventData): EventText {
  const [kind, id] = [textIn(data, "subject_kind"), textIn(data, "subject_id")];
  const who = id === null ? "The organization" : `${SUBJECTS[kind ?? ""] ?? "Customer"} ${quoteText(id)}`;
  const [low, high] = [dollarsIn(data, "low_usd"), dollarsIn(data, "high_usd")];
  const hour = textIn(data, "hour");
  const isBelow = data["direction"] === "below";
  return {
    title: `${who} spent ${isBelow ? "less" : "more"} than usual`,
    facts: [
      hour === null
        ? ["Day", foreignText(textIn(data, "date") ?? "")]
        : ["Hour", foreignText(`${hour.slice(0, 10)} ${hour.slice(11, 16)} UTC`)],
      ["Spent", dollarsIn(data, "spent_usd") ?? "$0"],
      [
        "Usual",
        `${dollarsIn(data, "expected_usd") ?? "$0"}${low === null || high === null ? "" : `, from ${low} to ${high}`}`,
      ],
    ],
    advice: isBelow
      ? "Check whether calls fail, or are made without being reported."
      : "Check what runs there. A budget or a rate limit in dollars stops a loop.",
    path: "/console",
    severity: "warning",
  };
}
