import { isRefusal, type Refusal, refuse } from "../../contract/refusal.ts";
import type { ReportAsk } from "../../domain/usage-report/ask.ts";
import type { DailyAsk, DaysAsk } from "../../domain/usage-report/daily.ts";
import { GroupSums } from "../../domain/usage-report/sums.ts";
import { tooMany } from "../../domain/usage-report/too-many.ts";
import type { DoorCode, OrgDoor } from "../../edge/org-door.ts";
import type { ReportCursor } from "../../org/usage/scan.ts";

/** Retention that takes away what a report has yet to read makes it begin anew; it is not so fast that this goes on. */
const TRIES = 3;

interface Collected {
  readonly sums: GroupSums;
  /** Of the daily sums, by the same names: runs and tokens are their counts. Null: those of the runs say it all. */
  readonly daily: GroupSums | null;
  readonly keptFromMs: number | null;
  /** Runs that retention has deleted are in it. */
  readonly includesDeleted: boolean;
}

type Failed = Refusal<DoorCode | "validation_failed">;

/** Adds up a report, step by step: the object serves others in between, and memory is bounded by the groups. */
export async function collect(
  org: OrgDoor,
  ask: ReportAsk,
  { daysAsk, dailyAsk }: { readonly daysAsk: DaysAsk | null; readonly dailyAsk: DailyAsk | null },
): Promise<Collected | Failed> {
  const ofDays = daysAsk === null ? null : await collectDays(org, daysAsk);
  if (ofDays !== null) return ofDays;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const scanned = await scan(org, ask);
    if (scanned === "lost") continue;
    if (isRefusal(scanned)) return scanned;
    const { sums, keptFromMs } = scanned;
    if (keptFromMs === null || dailyAsk === null)
      return { sums, daily: null, keptFromMs, includesDeleted: false };
    const daily = await readDaily(org, dailyAsk);
    return isRefusal(daily) ? daily : { sums, daily, keptFromMs, includesDeleted: true };
  }
  return refuse("service_unavailable", {}, { message: "Runs of this report are being deleted. Try again." });
}

/**
 * Reads full days from their sums, and runs only for what is before and after them. Null: the sums do not know it all, or
 * runs were deleted which only the days have.
 */
async function collectDays(org: OrgDoor, { days, edges }: DaysAsk): Promise<Collected | Failed | null> {
  const answer = await org.query("wholeDays", days);
  if (isRefusal(answer)) return answer;
  const { rows, keptFromMs } = answer.body;
  if (rows === null || (keptFromMs !== null && edges.length > 0)) return null;
  const sums = new GroupSums();
  for (const [names, nanos, counts] of rows) sums.add(names, BigInt(nanos), counts);
  for (const edge of edges) {
    const scanned = await scan(org, edge);
    if (scanned === "lost") return null;
    if (isRefusal(scanned)) return scanned;
    if (scanned.keptFromMs !== null) return null;
    for (const { names, nanos, counts } of scanned.sums.groups) sums.add(names, nanos, counts);
  }
  if (sums.isTooMany) return tooMany();
  return { sums, daily: null, keptFromMs, includesDeleted: keptFromMs !== null };
}

async function scan(
  org: OrgDoor,
  ask: ReportAsk,
): Promise<{ sums: GroupSums; keptFromMs: number | null } | "lost" | Failed> {
  const sums = new GroupSums();
  let cursor: ReportCursor | null = null;
  let keptFromMs: number | null = null;
  do {
    const step: Awaited<ReturnType<typeof askStep>> = await askStep(org, ask, cursor);
    if (isRefusal(step)) return step;
    if (step.body.isLost) return "lost";
    keptFromMs = step.body.keptFromMs;
    for (const [names, nanos, counts] of step.body.rows) sums.add(names, BigInt(nanos), counts);
    if (sums.isTooMany) return tooMany();
    cursor = step.body.next;
  } while (cursor !== null);
  return { sums, keptFromMs };
}

const askStep = (org: OrgDoor, ask: ReportAsk, cursor: ReportCursor | null) =>
  org.query("scanUsage", { ask, cursor });

async function readDaily(org: OrgDoor, ask: DailyAsk): Promise<GroupSums | Failed> {
  const answer = await org.query("dailyUsage", ask);
  if (isRefusal(answer)) return answer;
  const sums = new GroupSums();
  for (const [names, nanos, counts] of answer.body.rows) {
    if (nanos !== "0" || counts.length > 0) sums.add(names, BigInt(nanos), counts);
  }
  return sums.isTooMany ? tooMany() : sums;
}
