import { desc, eq, lt } from "drizzle-orm";
import { database, operatorSessions } from "./database.ts";

/** Sessions of the operator console are stored, so that each can be ended by itself. */

export type StoredOperatorSession = typeof operatorSessions.$inferSelect;

/** More often than this, it is not written that a session was used. */
const SEEN_EVERY_MS = 60_000;

export async function noteOperatorSession(
  d1: D1Database,
  session: StoredOperatorSession,
  endedBefore: number,
): Promise<void> {
  const db = database(d1);
  await db.insert(operatorSessions).values(session);
  await db.delete(operatorSessions).where(lt(operatorSessions.startedAt, endedBefore));
}

/** Returns whether nobody has ended the session. It is then seen as used now. */
export async function isOperatorSessionOpen(d1: D1Database, id: string, now: number): Promise<boolean> {
  const db = database(d1);
  const [row] = await db
    .select({ seenAt: operatorSessions.seenAt })
    .from(operatorSessions)
    .where(eq(operatorSessions.id, id))
    .limit(1);
  if (row === undefined) return false;
  if (row.seenAt < now - SEEN_EVERY_MS) {
    await db.update(operatorSessions).set({ seenAt: now }).where(eq(operatorSessions.id, id));
  }
  return true;
}

export async function endOperatorSession(d1: D1Database, id: string): Promise<void> {
  await database(d1).delete(operatorSessions).where(eq(operatorSessions.id, id));
}

export function openOperatorSessions(d1: D1Database): Promise<StoredOperatorSession[]> {
  return database(d1).select().from(operatorSessions).orderBy(desc(operatorSessions.seenAt)).limit(200);
}
