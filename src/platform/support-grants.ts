import { DAY_MS } from "../contract/durations.ts";
import { eq, lt } from "drizzle-orm";
import { database, supportGrants } from "./database.ts";

/** How long an ended grant can still be found, so that it is refused as ended and not as unknown. */
const KEPT_MS = 90 * DAY_MS;

export async function noteSupportGrant(
  d1: D1Database,
  grant: typeof supportGrants.$inferSelect,
  now: number,
): Promise<void> {
  const db = database(d1);
  await db.insert(supportGrants).values(grant).onConflictDoNothing();
  await db.delete(supportGrants).where(lt(supportGrants.expiresAt, now - KEPT_MS));
}

export async function orgOfSupportGrant(d1: D1Database, grantId: string): Promise<string | null> {
  const [row] = await database(d1)
    .select({ orgId: supportGrants.orgId })
    .from(supportGrants)
    .where(eq(supportGrants.grantId, grantId))
    .limit(1);
  return row?.orgId ?? null;
}
