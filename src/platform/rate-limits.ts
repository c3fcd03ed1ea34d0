import { eq } from "drizzle-orm";
import type { StoredLimits } from "../domain/rate/policy.ts";
import { database, orgRateLimits, rateLimitPolicies } from "./database.ts";

/** The rate limits of every org, for operators to query across orgs. Each org's object decides with its own copy. */
export async function publishRateLimits(d1: D1Database, orgId: string, limits: StoredLimits): Promise<void> {
  const db = database(d1);
  const row = { orgId, readRpm: limits.read_rpm };
  await db.batch([
    db.insert(orgRateLimits).values(row).onConflictDoUpdate({ target: orgRateLimits.orgId, set: row }),
    db.delete(rateLimitPolicies).where(eq(rateLimitPolicies.orgId, orgId)),
    ...limits.policies.map((policy, position) =>
      db.insert(rateLimitPolicies).values({
        id: policy.id,
        orgId,
        position,
        name: policy.name,
        route: policy.match.route ?? null,
        keyId: policy.match.key_id ?? null,
        customerId: policy.match.customer_id ?? null,
        match: JSON.stringify(policy.match),
        unit: policy.unit,
        limit: policy.limit,
        windowSeconds: policy.window_seconds,
        kind: policy.kind,
      }),
    ),
  ]);
}
