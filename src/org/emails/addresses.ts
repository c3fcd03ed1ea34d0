import { DAY_MS } from "../../contract/durations.ts";
import { type Refusal, refuse } from "../../contract/refusal.ts";
import type { Tx } from "../kernel/door.ts";
import { DUE } from "../kernel/due-kinds.ts";

/** A stranger whom somebody names gets at most this many mails from an org, one a day. */
const MOST_MAILS = 3;
export const MAIL_EVERY_MS = DAY_MS;

/** An org can name this many addresses a day that have not confirmed themselves, and so many in all. */
const MOST_NAMED_A_DAY = 20;
const MOST_NAMED = 1000;

export type EmailRow = {
  address: string;
  named_at: number;
  /** Null until its owner has followed the link. */
  confirmed_at: number | null;
  /** How many links were mailed to it. */
  mails: number;
  mailed_at: number | null;
  /** The digest of the last link's token. */
  token: string | null;
  expires_at: number | null;
};

export function loadEmail(sql: SqlStorage, address: string): EmailRow | null {
  return sql.exec<EmailRow>("SELECT * FROM email_addresses WHERE address = ?", address).toArray()[0] ?? null;
}

export function isConfirmed(sql: SqlStorage, address: string): boolean {
  return (loadEmail(sql, address)?.confirmed_at ?? null) !== null;
}

/** Returns whether a link may be mailed to it now. */
export function mayBeMailed({ confirmed_at, mails, mailed_at }: EmailRow, now: number): boolean {
  if (confirmed_at !== null || mails >= MOST_MAILS) return false;
  return mailed_at === null || mailed_at <= now - MAIL_EVERY_MS;
}

/** Each address that has not confirmed itself is mailed a link. Refuses if the org names too many. */
export function nameAddresses(tx: Tx, addresses: readonly string[]): Refusal<"conflict"> | null {
  for (const address of addresses) {
    const known = loadEmail(tx.sql, address);
    if (known === null) {
      if (namedSince(tx.sql, tx.now - DAY_MS) >= MOST_NAMED_A_DAY) return tooMany("today");
      if (namedSince(tx.sql, 0) >= MOST_NAMED) return tooMany("in all");
      tx.sql.exec("INSERT INTO email_addresses (address, named_at, mails) VALUES (?, ?, 0)", address, tx.now);
    }
    if (known === null || mayBeMailed(known, tx.now)) tx.schedule(DUE.email, address, tx.now);
  }
  return null;
}

function namedSince(sql: SqlStorage, since: number): number {
  return sql
    .exec<{ n: number }>(
      "SELECT COUNT(*) AS n FROM email_addresses WHERE confirmed_at IS NULL AND MAX(named_at, IFNULL(mailed_at, 0)) > ?",
      since,
    )
    .one().n;
}

function tooMany(when: string): Refusal<"conflict"> {
  const message = `Too many addresses were named ${when} that have not confirmed themselves. Try again tomorrow.`;
  return refuse("conflict", {}, { message });
}
