import type { Env } from "../edge/env.ts";
import { objectHere } from "../edge/region/placement.ts";
import { logFailure } from "../log.ts";
import { type DamageReport, forgetDamage, readDamageReports } from "../platform/damage-reports.ts";
import type { Settings } from "../settings.ts";
import { DEEP_HEALTH } from "./deep-health.ts";

/** So many reports are looked at, the latest first. */
const MOST_EXAMINED = 10;
/** A report that cannot be looked into counts for so long. */
const BELIEVED_MS = 3_600_000;

/** An org of which something is damaged, as the operator is told. */
interface DamagedOrg {
  readonly org_id: string;
  readonly part: DamageReport["part"];
  readonly file: string | null;
  readonly why: string;
  readonly reported_at: string;
}

let last: { readonly atMs: number; readonly found: Promise<readonly DamagedOrg[]> } | null = null;

/**
 * The orgs of which a file of the archive or the database is damaged: those that were reported and still are. Calls at the same
 * time share one look. If the platform's database does not answer, its own check says so.
 */
export function damagedOrgs(env: Env, settings: Settings, nowMs: number): Promise<readonly DamagedOrg[]> {
  if (last === null || nowMs >= last.atMs + DEEP_HEALTH.everyMs || nowMs < last.atMs) {
    last = { atMs: nowMs, found: examineAll(env, settings, nowMs) };
  }
  return Promise.race([last.found, scheduler.wait(2 * DEEP_HEALTH.patienceMs).then(() => [])]);
}

async function examineAll(env: Env, settings: Settings, nowMs: number): Promise<readonly DamagedOrg[]> {
  try {
    const reports = await readDamageReports(env.DB, MOST_EXAMINED);
    const found = await Promise.all(reports.map((report) => examine(env, settings, report, nowMs)));
    return found.filter((one) => one !== null);
  } catch (error) {
    logFailure("health", error);
    return [];
  }
}

async function examine(
  env: Env,
  settings: Settings,
  report: DamageReport,
  nowMs: number,
): Promise<DamagedOrg | null> {
  const why = await findDamage(env, settings, report);
  const isOld = nowMs > report.reportedAt + BELIEVED_MS;
  if (why === null || (why === UNKNOWN && isOld)) {
    await forgetDamage(env.DB, report);
    return null;
  }
  const { orgId: org_id, part, file, reportedAt } = report;
  return { org_id, part, file, why, reported_at: new Date(reportedAt).toISOString() };
}

const UNKNOWN = "It was reported, and the database is too large to be checked now";
const NO_ANSWER = "The object does not answer";

/** Null if nothing is wrong any more. */
async function findDamage(env: Env, settings: Settings, report: DamageReport): Promise<string | null> {
  const late = scheduler.wait(DEEP_HEALTH.patienceMs).then(() => NO_ANSWER);
  try {
    const object = objectHere(env, settings, report.orgId);
    const found = await Promise.race([object.examine(report.file), late]);
    if (typeof found === "string") return found;
    if (found.is === "damaged") return found.why;
    return found.is === "well" ? null : UNKNOWN;
  } catch (error) {
    return `The object fails: ${String(error)}`;
  }
}
