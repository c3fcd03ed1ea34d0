import { HOUR_MS } from "../../contract/durations.ts";
import type { KeyRole } from "../../contract/access.ts";
import type { Session } from "../../contract/resources/sessions.ts";
import { refuse } from "../../contract/refusal.ts";
import { digestPair } from "../../domain/key/peppers.ts";
import { isLive, SESSION_MAX_MS, sessionEnd, shouldNote } from "../../domain/people/session.ts";
import { ENTRY_PROBLEMS, type EntryProblem } from "../../domain/network/access.ts";
import { command, done, type Tx, type View } from "../kernel/door.ts";
import type { Bound } from "../../storage/scan-bounds.ts";
import { orgSnapshot } from "../snapshots/snapshot.ts";
import { entryProblemOf } from "./entry.ts";
import { type ParentKey, keyWorks } from "./parent-key.ts";
import { connectionMark } from "./sso.ts";
import { insertRow } from "../../storage/rows.ts";
import { readList } from "../kernel/resource.ts";
import { iso } from "../../domain/time/iso.ts";

/** Console sessions. A session is looked up on each request and never cached, so a revocation applies at once. */

export type SessionRow = {
  id: string;
  digest: string;
  provider: string;
  subject: string;
  name: string;
  email: string | null;
  role: KeyRole;
  address: string | null;
  created_at: number;
  last_seen_at: number;
  revoked_at: number | null;
} & ParentKey;

function timesOf(row: SessionRow) {
  return { createdAt: row.created_at, lastSeenAt: row.last_seen_at, revokedAt: row.revoked_at };
}

export function loadSession(sql: SqlStorage, id: string): SessionRow | null {
  return sql.exec<SessionRow>("SELECT * FROM sessions WHERE id = ?", id).toArray()[0] ?? null;
}

export function isLiveSession({ sql, now }: Pick<View, "sql" | "now">, row: SessionRow): boolean {
  if (!isLive(timesOf(row), now)) return false;
  if (row.key_id === null) return true;
  const works = keyWorks("sessions", now);
  const found = sql.exec(`SELECT 1 FROM sessions WHERE ${works.sql} AND id = ?`, ...works.bindings, row.id);
  return found.toArray().length > 0;
}

export function toSession(row: SessionRow, view: View): Session {
  return {
    id: row.id,
    user: { name: row.name, email: row.email, provider: row.provider, subject: row.subject },
    role: row.role,
    address: row.address,
    current: view.actor.id === row.id,
    created_at: iso(row.created_at),
    last_seen_at: iso(row.last_seen_at),
    expires_at: iso(sessionEnd(timesOf(row))),
  };
}

type SessionOwner = Readonly<
  Pick<SessionRow, "id" | "digest" | "provider" | "subject" | "name" | "email" | "role">
>;

export interface NewSession extends SessionOwner {
  /** The region that received the request. */
  readonly region: string;
  /** The mark of the connection that vouched for the person. Null if none did. */
  readonly connection: string | null;
}

/** Returns why nobody may open a session now, from this address and in this region. */
export function sessionProblem(tx: Tx, region: string): EntryProblem | "org_suspended" | null {
  return tx.profile().status === "suspended" ? "org_suspended" : entryProblemOf(tx, region);
}

export function insertSession(tx: Tx, opened: SessionOwner, behind: ParentKey): void {
  tx.sql.exec("DELETE FROM sessions WHERE created_at < ?", tx.now - 30 * SESSION_MAX_MS);
  const { id, digest, provider, subject, name, email, role } = opened;
  const person = { id, digest, provider, subject, name, email, role, address: tx.actor.address };
  const { key_id, key_digest } = behind;
  insertRow(tx.sql, "sessions", { ...person, created_at: tx.now, last_seen_at: tx.now, key_id, key_digest });
}

export const openSession = command({
  action: "session.opened",
  admitsItself: () => true,
  refuses: ["org_suspended", "conflict", ...ENTRY_PROBLEMS],
  run(tx, input: NewSession) {
    const problem = sessionProblem(tx, input.region);
    if (problem !== null) return refuse(problem);
    if (input.connection !== null && input.connection !== connectionMark(tx)) {
      const message = "The organization's single sign-on settings changed during the sign-in.";
      return refuse("conflict", {}, { message });
    }
    const { id, provider, subject, name, email, role } = input;
    insertSession(tx, input, { key_id: null, key_digest: null });
    return done(201, { id }, { target: id, detail: { provider, subject, name, email, role } });
  },
});

/**
 * The person behind a session's digest, with the org as it is now. Reading a page changes nothing, so it is not
 * audited. A page that refreshes itself (`isWatching`) does not count as use, so it does not keep its session alive.
 */
export const admitSession = command({
  action: null,
  admitsItself: () => true,
  refuses: ["session_revoked"],
  run(tx, input: { digest: string; isWatching?: boolean }) {
    const row = tx.sql
      .exec<SessionRow>("SELECT * FROM sessions WHERE digest IN (?, ?)", ...digestPair(input.digest))
      .toArray()[0];
    if (row === undefined || !isLiveSession(tx, row)) return refuse("session_revoked");
    if (input.isWatching !== true && shouldNote(timesOf(row), tx.now)) {
      tx.sql.exec("UPDATE sessions SET last_seen_at = ? WHERE id = ?", tx.now, row.id);
      row.last_seen_at = tx.now;
    }
    const { name } = tx.profile();
    const session = { ...toSession(row, tx), current: true, org_id: tx.orgId, org_name: name };
    return done(200, { session, org: orgSnapshot(tx, tx.profile()) });
  },
});

function liveSessions(now: number): Bound {
  const works = keyWorks("sessions", now);
  return {
    sql: `revoked_at IS NULL AND created_at > ? AND last_seen_at > ? AND ${works.sql}`,
    bindings: [now - SESSION_MAX_MS, now - HOUR_MS, ...works.bindings],
  };
}

export const listSessions = readList((view) => ({
  table: "sessions",
  sort: { created_at: "created_at" },
  where: liveSessions(view.now),
  toItem: (row: SessionRow) => toSession(row, view),
}));

export const revokeSession = command({
  action: "session.revoked",
  // A person can sign out whatever has happened to the org or their address.
  admitsItself: (actor, input: { sessionId: string }) => actor.id === input.sessionId,
  refuses: ["not_found"],
  current(view, input) {
    const row = loadSession(view.sql, input.sessionId);
    return row === null ? null : toSession(row, view);
  },
  run(tx, input) {
    const row = loadSession(tx.sql, input.sessionId);
    if (row === null) return refuse("not_found");
    tx.sql.exec("UPDATE sessions SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", tx.now, row.id);
    return done(204, null, { target: row.id, detail: { name: row.name } });
  },
});
