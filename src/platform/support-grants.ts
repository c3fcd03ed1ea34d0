import { eq, lt } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { database } from "./database.ts";

/** Which org opened a grant: an operator knows only the grant's id. The grant itself is the org's, in its object. */
export const supportGrants = sqliteTable(
  "support_grants",
  {
    grantId: text("grant_id").primaryKey(),
    orgId: text("org_id").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [index("support_grants_expires_at").on(table.expiresAt)],
);

/** How long an ended grant can still be found, so that it is refused as ended rather than as unknown. */
const KEPT_MS = 90 * 86_400_000;

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
