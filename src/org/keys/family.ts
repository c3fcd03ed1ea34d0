import { isLive, SESSION_MAX_MS } from "../../domain/people/session.ts";
import type { View } from "../kernel/door.ts";

/**
 * Returns who stands behind a caller's id. A key is itself, also in the console. The sessions of one person at one
 * provider are that person, who may sign in again at any time.
 */
export function selfOf(sql: SqlStorage, id: string): string {
  const [person] = sql.exec<{ provider: string; subject: string; key_id: string | null }>(
    "SELECT provider, subject, key_id FROM sessions WHERE id = ?",
    id,
  );
  if (person === undefined) return id;
  return person.key_id ?? `person ${JSON.stringify([person.provider, person.subject])}`;
}

/** Returns who is noted with a key that the caller mints. Keys that the operator or the system makes are nobody's. */
export function minterOf({ actor, sql }: View): string | null {
  return actor.kind === "key" || actor.kind === "session" ? selfOf(sql, actor.id) : null;
}

/** Someone, whoever minted their key, and who minted that one, up to the first. */
export function lineOf(sql: SqlStorage, self: string): readonly string[] {
  const line = sql.exec<{ id: string }>(
    `WITH RECURSIVE line (id) AS (
       SELECT ?1 UNION SELECT k.minted_by FROM keys AS k JOIN line ON k.id = line.id WHERE k.minted_by IS NOT NULL
     )
     SELECT id FROM line`,
    self,
  );
  return line.toArray().map(({ id }) => id);
}

/** Someone, the keys that they minted, and those minted with these. */
const FAMILY = `WITH RECURSIVE family (id) AS (
  SELECT ?1 UNION SELECT k.id FROM keys AS k JOIN family ON k.minted_by = family.id
)`;

export function isInFamily(sql: SqlStorage, head: string, self: string): boolean {
  return sql.exec(`${FAMILY} SELECT 1 FROM family WHERE id = ?2`, head, self).toArray().length > 0;
}

/**
 * Returns whether somebody outside of a family has at least the role of an admin now: with a usable key, or in the
 * console.
 */
export function hasAdminOutside({ sql, now }: View, head: string): boolean {
  const keys = sql.exec(
    `${FAMILY} SELECT 1 FROM keys WHERE id NOT IN family AND role IN ('admin', 'owner') AND revoked_at IS NULL
       AND (expires_at IS NULL OR expires_at > ?2) AND (not_before IS NULL OR not_before <= ?2) LIMIT 1`,
    head,
    now,
  );
  if (keys.toArray().length > 0) return true;
  return peopleInside(sql, now).some((person) => !isInFamily(sql, head, person));
}

/** Whoever is signed in to the console as at least an admin, but for keys. */
function peopleInside(sql: SqlStorage, now: number): string[] {
  const sessions = sql.exec<{ id: string; createdAt: number; lastSeenAt: number; revokedAt: number | null }>(
    `SELECT id, created_at AS createdAt, last_seen_at AS lastSeenAt, revoked_at AS revokedAt FROM sessions
     WHERE created_at > ? AND role IN ('admin', 'owner') AND key_id IS NULL`,
    now - SESSION_MAX_MS,
  );
  const live = sessions.toArray().filter((times) => isLive(times, now));
  return [...new Set(live.map(({ id }) => selfOf(sql, id)))];
}
