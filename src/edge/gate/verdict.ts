import { roomOf } from "../../domain/meter.ts";
import { formatUsd } from "../../domain/money.ts";
import type { OrgGate } from "./org-gate.ts";
import type { Touch } from "./touch.ts";

/** The allow of an isolate as text: written, not serialised, because it is written thousands of times a second. */
export function allowText(
  gate: OrgGate,
  touch: Touch,
  name: string,
  nanos: bigint,
  expiresAt: number,
  orgNow: number,
  now: number,
): string {
  let limits = "";
  for (const { key, slice, opening } of touch.rates) {
    const room = (gate.rate(key, now)?.info.room ?? 0) + Number(slice.left);
    limits += `${limits === "" ? "" : ","}${opening}${Math.max(0, room)}}`;
  }
  for (const { known, slice, opening } of touch.accounts) {
    const room = (roomOf(known.account) ?? 0n) + slice.left;
    limits += `${limits === "" ? "" : ","}${opening}${formatUsd(room < 0n ? 0n : room)}"}`;
  }
  return `{"decision":"allow","decision_id":"dec_${name}","reservation":{"id":"rsv_${name}","amount_usd":"${formatUsd(nanos)}","expires_at":"${isoTime(expiresAt)}"},"limits":[${limits}],"evaluated_at":"${isoTime(orgNow)}"}`;
}

let lastMs = Number.NaN;
let lastText = "";

/** Thousands of answers are given in the same few milliseconds. */
function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastMs = ms;
    lastText = new Date(ms).toISOString();
  }
  return lastText;
}
