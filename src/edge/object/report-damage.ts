import { orgNamed } from "./unreachable.ts";
import { reportDamage } from "../../platform/damage-reports.ts";
import type { Call } from "../request/call.ts";

/** Notes the org whose object did not start, or whose database SQLite cannot read, so that a health check looks at it. */
export function reportBroken(call: Call, error: unknown): void {
  const orgId = orgNamed(error) ?? call.orgId;
  if (orgId === null) return;
  const report = { orgId, part: "database", file: null, reportedAt: Date.now() } as const;
  call.context.waitUntil(reportDamage(call.env.DB, report));
}
