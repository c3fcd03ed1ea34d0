import { formatSum } from "../domain/money.ts";
import { TimeText } from "../domain/time-text.ts";
import type { OrgGate } from "./org-gate.ts";
import { roomOf } from "../domain/meter.ts";
import type { Touch } from "./touch.ts";

/** An isolate's allow as text: written by hand, not serialized, because it is written thousands of times a second. */
export function allowText(
  gate: OrgGate,
  touch: Touch,
  {
    id,
    nanos,
    expiresAt,
    orgNow,
    now,
  }: {
    readonly id: string;
    readonly nanos: number;
    readonly expiresAt: number;
    readonly orgNow: number;
    readonly now: number;
  },
): string {
  let limits = "";
  for (const { key, slice, opening } of touch.rates) {
    const room = (gate.rate(key, now)?.info.room ?? 0) + slice.left;
    limits += `${limits === "" ? "" : ","}${opening}${Math.max(0, room)}}`;
  }
  for (const { known, slice, opening, isUsd } of touch.accounts) {
    const left = isUsd
      ? `${formatSum(known.room, slice.left)}"`
      : Math.max(0, Number(roomOf(known.account)) + slice.left);
    limits += `${limits === "" ? "" : ","}${opening}${left}}`;
  }
  return `{"decision":"allow","decision_id":"dec_${id.slice(4)}","reservation":{"id":"${id}","amount_usd":"${formatSum(NOTHING, nanos)}","expires_at":"${expiry.of(expiresAt)}"},"limits":[${limits}],"evaluated_at":"${moment.of(orgNow)}"}`;
}

const NOTHING = { dollars: 0, nanos: 0 };
const moment = new TimeText();
const expiry = new TimeText();
