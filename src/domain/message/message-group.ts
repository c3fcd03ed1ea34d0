import type { EventKind } from "../../contract/event-kinds.ts";
import { HOUR_MS } from "../../contract/durations.ts";
import { type EventData, limitIn, textIn } from "./event-data.ts";

/** Events with the same `key` and `stage` are one message. Of those with the same key, only the last stage is worth sending. */
export interface MessageGroup {
  readonly key: string;
  readonly stage: string;
}

/** Kinds of which a busy org has many, with the field that tells their causes apart. */
const FREQUENT: Partial<Record<EventKind, string>> = {
  "run.recorded": "",
  "run.over_limit": "",
  "run.adjusted": "",
  "run.replaced": "",
  "reservation.expired": "",
  "policy.blocked": "rule_id",
  "safety.blocked": "detector",
};

/**
 * Returns what a message about an event has in common with others: the limit and its window, whichever counter of the
 * limit it is; or for what happens with calls, the cause and the hour. Null if each is a message of its own.
 */
export function messageGroupOf(kind: EventKind, data: EventData, atMs: number): MessageGroup | null {
  const cause = FREQUENT[kind];
  if (cause !== undefined) {
    const hour = new Date(Math.floor(atMs / HOUR_MS) * HOUR_MS).toISOString();
    return { key: JSON.stringify([kind, cause === "" ? "" : textIn(data, cause), hour]), stage: "" };
  }
  const limit = limitIn(kind, data);
  const window = windowEndIn(data) ?? textIn(data, "period_start");
  if (limit === null || window === null) return null;
  return { key: JSON.stringify([limit, window]), stage: textIn(data, "threshold") ?? kind };
}

/** When the window of a limit ends that an event is about. Null if it has no end. */
export function windowEndIn(data: EventData): number | null {
  const end = Date.parse(textIn(data, "period_end") ?? textIn(data, "resets_at") ?? "");
  return Number.isNaN(end) ? null : end;
}
