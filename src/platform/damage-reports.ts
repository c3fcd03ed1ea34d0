import { and, desc, eq } from "drizzle-orm";
import { BoundedMap } from "../domain/cache/bounded-map.ts";
import { logFailure } from "../log.ts";
import { damageReports, database } from "./database.ts";

/**
 * Orgs of which something could not be read: a file of their archive, or the database of their object. Whoever notices it
 * reports it, and a health check looks again. A report may be wrong, and the org may be well again.
 */
export type DamageReport = typeof damageReports.$inferSelect;

/** The same is reported once a minute by an isolate, however many calls fail. */
const REPORTED_EVERY_MS = 60_000;
const MOST_REMEMBERED = 1000;
const reported = new BoundedMap<string, number>(MOST_REMEMBERED);

/** Nothing waits for it, and it never fails. */
export async function reportDamage(d1: D1Database, report: DamageReport): Promise<void> {
  const { orgId, part, file, reportedAt } = report;
  const name = `${orgId} ${part}`;
  const last = reported.get(name);
  if (last !== undefined && Math.abs(reportedAt - last) < REPORTED_EVERY_MS) return;
  reported.set(name, reportedAt);
  try {
    await database(d1)
      .insert(damageReports)
      .values(report)
      .onConflictDoUpdate({ target: [damageReports.orgId, damageReports.part], set: { file, reportedAt } });
  } catch (error) {
    logFailure("damage", error);
  }
}

/** The latest first. */
export function readDamageReports(d1: D1Database, most: number): Promise<DamageReport[]> {
  return database(d1).select().from(damageReports).orderBy(desc(damageReports.reportedAt)).limit(most);
}

/** Unless it was reported again meanwhile. */
export async function forgetDamage(d1: D1Database, report: DamageReport): Promise<void> {
  const { orgId, part, reportedAt } = report;
  reported.delete(`${orgId} ${part}`);
  await database(d1)
    .delete(damageReports)
    .where(
      and(
        eq(damageReports.orgId, orgId),
        eq(damageReports.part, part),
        eq(damageReports.reportedAt, reportedAt),
      ),
    );
}
