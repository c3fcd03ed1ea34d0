import { orgNamed } from "./unreachable.ts";
import type { DamageReport } from "../../platform/damage-reports.ts";
import type { Call } from "../request/call.ts";

/** Notes the org whose object did not start, or whose database SQLite cannot read, so that a health check looks at it. */
export function reportBroken(call: Call, error: unknown): void {
  const orgId = orgNamed(error) ?? call.orgId;
  if (orgId === null) return;
  const report = { orgId, part: "database", file: null, reportedAt: Date.now() } as const;
  call.context.waitUntil(noted(call, report));
}

/** The database is only loaded where something is broken. */
async function noted(call: Call, report: DamageReport): Promise<void> {
  const { reportDamage } = await import("../../platform/damage-reports.ts");
  await reportDamage(call.env.DB, report);
}
