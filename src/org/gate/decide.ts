import { isRefusal, type Refusal } from "../../contract/refusal.ts";
import type { Account } from "../../domain/meter.ts";
import { formatUsd, type TokenPrice } from "../../domain/money.ts";
import type { RateMeter, RateStanding } from "../../domain/rate-policy.ts";
import type { Done, Tx, View } from "../door.ts";
import { type DecisionAsk, decide, scopesOf } from "../holds/decide.ts";
import { type HoldRow, loadHoldOfRequest } from "../holds/store.ts";
import { Draft } from "../ledger/draft.ts";
import { knownMeters } from "../meters/store.ts";
import { priceOf } from "../models/store.ts";

/** What an isolate needs to decide calls like this one by itself. */
export interface Lesson {
  /** The dollar limits that the call touches, in order of refusal, and how they stand. */
  readonly accounts: readonly Account[];
  readonly matters: Matters;
  readonly price: TokenPrice | null;
}

/** Which of the names that a call may give decide what it touches: all, some, or none. */
export interface Matters {
  readonly department: readonly string[] | null;
  readonly workflow: readonly string[] | null;
  readonly deployment: readonly string[] | null;
  readonly customer: boolean;
}

const MOST_NAMES = 500;

/** The verdict as text, or the refusal; `taken` when it holds something now that it did not before. */
export interface Decided {
  readonly verdict: object | Refusal;
  readonly taken: boolean;
}

/** The decision through the ledger, with holds that isolates have reported counted as its own. */
export function decideExactly(tx: Tx, ask: DecisionAsk): Decided {
  const before = ask.request_id === undefined ? null : loadHoldOfRequest(tx.sql, ask.request_id);
  const told = ask.dry_run === true ? null : repeatOf(before, tx.now);
  if (told !== null) return { verdict: told, taken: false };
  const result: Done | Refusal = decide.run(tx, ask);
  if (isRefusal(result)) return { verdict: result, taken: false };
  const repeated = before !== null && (before.status === "settled" || isOpen(before, tx.now));
  return { verdict: result.body ?? {}, taken: ask.dry_run !== true && !repeated };
}

/** A hold that an isolate made is known by its amounts alone; its verdict is put together again. */
function repeatOf(row: HoldRow | null, now: number): object | null {
  if (row === null || row.verdict !== "") return null;
  return row.status === "settled" || isOpen(row, now) ? verdictOf(row) : null;
}

function isOpen(row: HoldRow, now: number): boolean {
  return row.status === "open" && row.expires_at > now;
}

function verdictOf(row: HoldRow): object {
  return {
    decision: "allow",
    decision_id: `dec_${row.id.slice("rsv_".length)}`,
    reservation: {
      id: row.id,
      amount_usd: formatUsd(BigInt(row.amount)),
      expires_at: new Date(row.expires_at).toISOString(),
    },
    limits: [],
    evaluated_at: new Date(row.at).toISOString(),
  };
}

/** The verdict as text, with the rate limits that it was held against, and in a dry run with the one that would refuse. */
export function withRates(
  verdict: object,
  rates: readonly { readonly meter: RateMeter; readonly standing: RateStanding }[],
  limit: Refusal | null,
): string {
  if (rates.length === 0) return JSON.stringify(verdict);
  const { limits = [], ...rest } = verdict as { limits?: readonly object[] };
  const all = rates.map(({ meter: { policy }, standing }) => ({
    kind: policy.kind === "rate" ? "rate_limit" : "quota_window",
    id: policy.id,
    available: Math.max(0, standing.room),
  }));
  const refused = limit === null ? {} : { decision: "deny", would_deny: pick(limit) };
  return JSON.stringify({ ...rest, ...refused, limits: [...all, ...limits] });
}

function pick({ status, code, details }: Refusal): object {
  return { status, code, details };
}

export function lessonFor(view: View, ask: DecisionAsk, customerRates: boolean): Lesson {
  const draft = new Draft(view.sql, "decision", view.now);
  const accounts = draft.accounts({ scopes: scopesOf(ask), atMs: view.now });
  return {
    accounts: accounts.map(({ meter, subject, window, usage }) => ({ meter, subject, window, usage })),
    matters: mattersIn(view.sql, customerRates),
    price: ask.model === undefined ? null : priceOf(view.sql, ask.model),
  };
}

function mattersIn(sql: SqlStorage, customerRates: boolean): Matters {
  const { index, hasCustomerRows } = knownMeters(sql);
  const named = { department: [] as string[], workflow: [] as string[], deployment: [] as string[] };
  let everyCustomer = false;
  for (const key of index.byScope.keys()) {
    const space = key.indexOf(" ");
    const kind = key.slice(0, space);
    if (kind === "customer") everyCustomer = true;
    else if (kind === "department" || kind === "workflow" || kind === "deployment") {
      named[kind].push(key.slice(space + 1));
    }
  }
  return {
    department: bounded(named.department),
    workflow: bounded(named.workflow),
    deployment: bounded(named.deployment),
    customer: hasCustomerRows || everyCustomer || customerRates,
  };
}

function bounded(names: string[]): string[] | null {
  return names.length > MOST_NAMES ? null : names;
}
