import { formatSum } from "../../domain/price/money.ts";
import { TimeText } from "../../domain/time/time-text.ts";
import type { OrgGate } from "../org-gate.ts";
import { roomOf } from "../../domain/meter/meter.ts";
import type { LimitSet, LimitSetAccount, LimitSetRate } from "./limit-set.ts";

/** A call that this isolate has allowed, and what it reserved. */
export interface Allow {
  readonly limitSet: LimitSet;
  readonly id: string;
  readonly nanos: number;
  /** The bound that it is told. Null if none is. */
  readonly output: number | null;
  readonly expiresAt: number;
  readonly orgNow: number;
  readonly now: number;
}

/** As it is told to whoever asked. */
export interface AllowValues {
  readonly decision: "allow";
  readonly decision_id: string;
  readonly reservation: {
    readonly id: string;
    readonly amount_usd: string;
    readonly expires_at: string;
    readonly max_output_tokens?: number;
  };
  readonly limits: readonly LimitValues[];
  readonly evaluated_at: string;
}

interface LimitValues {
  readonly kind: string;
  readonly id: string;
  readonly available_usd?: string;
  readonly available?: number;
}

/** An isolate's allow as text: written by hand, not serialized, because it is written thousands of times a second. */
export function allowText(gate: OrgGate, allow: Allow): string {
  const { limitSet, id, now } = allow;
  let limits = "";
  for (const rate of limitSet.rates) {
    const left = leftOfRate(gate, rate, now);
    limits += `${limits === "" ? "" : ","}${rate.opening}${rate.isUsd ? `${formatSum(NOTHING, left)}"` : left}}`;
  }
  for (const account of limitSet.accounts) {
    const left = account.isUsd ? `${usdLeft(account)}"` : unitsLeft(account);
    limits += `${limits === "" ? "" : ","}${account.opening}${left}}`;
  }
  const output = allow.output === null ? "" : `,"max_output_tokens":${allow.output}`;
  return `{"decision":"allow","decision_id":"${decisionOf(id)}","reservation":{"id":"${id}","amount_usd":"${formatSum(NOTHING, allow.nanos)}","expires_at":"${expiry.of(allow.expiresAt)}"${output}},"limits":[${limits}],"evaluated_at":"${moment.of(allow.orgNow)}"}`;
}

/** The same for a caller in this process, which would only parse the text. */
export function allowValues(gate: OrgGate, allow: Allow): AllowValues {
  const { limitSet, id, nanos, output, expiresAt, orgNow, now } = allow;
  const limits: LimitValues[] = [];
  for (const rate of limitSet.rates) {
    const left = leftOfRate(gate, rate, now);
    const available = rate.isUsd ? { available_usd: formatSum(NOTHING, left) } : { available: left };
    limits.push({ kind: rate.kind, id: rate.meter.policy.id, ...available });
  }
  for (const account of limitSet.accounts) {
    const { kind, id: limit } = account.known.account.meter;
    if (account.isUsd) limits.push({ kind, id: limit, available_usd: usdLeft(account) });
    else limits.push({ kind, id: limit, available: unitsLeft(account) });
  }
  return {
    decision: "allow",
    decision_id: decisionOf(id),
    reservation: {
      id,
      amount_usd: formatSum(NOTHING, nanos),
      expires_at: expiry.of(expiresAt),
      ...(output === null ? {} : { max_output_tokens: output }),
    },
    limits,
    evaluated_at: moment.of(orgNow),
  };
}

function decisionOf(id: string): string {
  return `dec_${id.slice(4)}`;
}

function leftOfRate(gate: OrgGate, { key, slice }: LimitSetRate, now: number): number {
  return Math.max(0, (gate.rate(key, now)?.info.room ?? 0) + slice.left);
}

function usdLeft({ known, slice }: LimitSetAccount): string {
  return formatSum(known.room, slice.left);
}

function unitsLeft({ known, slice }: LimitSetAccount): number {
  return Math.max(0, Number(roomOf(known.account)) + slice.left);
}

const NOTHING = { dollars: 0, nanos: 0 };
const moment = new TimeText();
const expiry = new TimeText();
