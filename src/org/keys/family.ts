import type { View } from "../kernel/door.ts";

/**
 * Who stands behind a caller's id. A key is itself. The sessions of one person at one provider are that person, who may sign
 * in again at any time.
 */
export function selfOf(sql: SqlStorage, id: string): string {
  const [person] = sql.exec<{ provider: string; subject: string }>(
    "SELECT provider, subject FROM sessions WHERE id = ?",
    id,
  );
  return person === undefined ? id : `person ${JSON.stringify([person.provider, person.subject])}`;
}

/** Who is noted with a key that the caller mints. What the operator or the system makes is nobody's. */
export function minterOf({ actor, sql }: View): string | null {
  return actor.kind === "key" || actor.kind === "session" ? selfOf(sql, actor.id) : null;
}

/** Whoever minted a key, and who minted that one, up to the first. */
export function rootOf(sql: SqlStorage, self: string): string {
  const [root] = sql.exec<{ id: string }>(
    `WITH RECURSIVE line (id) AS (
       SELECT ?1 UNION SELECT k.minted_by FROM keys AS k JOIN line ON k.id = line.id WHERE k.minted_by IS NOT NULL
     )
     SELECT line.id FROM line LEFT JOIN keys AS k ON k.id = line.id WHERE k.minted_by IS NULL LIMIT 1`,
    self,
  );
  return root?.id ?? self;
}

/** Someone, the keys that they minted, and those minted with these. */
const FAMILY = `WITH RECURSIVE family (id) AS (
  SELECT ?1 UNION SELECT k.id FROM keys AS k JOIN family ON k.minted_by = family.id
)`;

export function isInFamily(sql: SqlStorage, head: string, self: string): boolean {
  return sql.exec(`${FAMILY} SELECT 1 FROM family WHERE id = ?2`, head, self).toArray().length > 0;
}

/** Whether a key of at least an admin that is usable now is outside of a family. */
export function hasAdminOutside({ sql, now }: View, head: string): boolean {
  const others = sql.exec(
    `${FAMILY} SELECT 1 FROM keys WHERE id NOT IN family AND role IN ('admin', 'owner') AND revoked_at IS NULL
       AND (expires_at IS NULL OR expires_at > ?2) AND (not_before IS NULL OR not_before <= ?2) LIMIT 1`,
    head,
    now,
  );
  return others.toArray().length > 0;
}
