import { isRefusal, type Refusal, refuse } from "../../contract/refusal.ts";
import type { ReportAsk } from "../../domain/usage-report/ask.ts";
import type { DailyAsk } from "../../domain/usage-report/daily.ts";
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
}

type Failed = Refusal<DoorCode | "validation_failed">;

/** Adds up a report, step by step: the object serves others in between, and memory is bounded by the groups. */
export async function collect(
  org: OrgDoor,
  ask: ReportAsk,
  dailyAsk: DailyAsk | null,
): Promise<Collected | Failed> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const scanned = await scan(org, ask);
    if (scanned === "lost") continue;
    if (isRefusal(scanned)) return scanned;
    const { sums, keptFromMs } = scanned;
    if (keptFromMs === null || dailyAsk === null) return { sums, daily: null, keptFromMs };
    const daily = await readDaily(org, dailyAsk);
    return isRefusal(daily) ? daily : { sums, daily, keptFromMs };
  }
  return refuse("service_unavailable", {}, { message: "Runs of this report are being deleted. Try again." });
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
