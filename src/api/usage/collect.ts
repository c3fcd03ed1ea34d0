import { isRefusal, type Refusal, refuse } from "../../contract/refusal.ts";
import { GroupSums } from "../../domain/usage-report/sums.ts";
import { tooMany } from "../../domain/usage-report/too-many.ts";
import type { DoorCode, OrgDoor } from "../../edge/object/org-door.ts";
import type { Report, ReportCursor } from "../../org/usage/report.ts";

/** Retention that takes away what a report has yet to read makes it begin anew; it is not so fast that this goes on. */
const TRIES = 3;

interface CollectedReport {
  readonly sums: GroupSums;
  /** Of all runs, by the same names: runs and tokens are their counts. Null if those of the sums say it all. */
  readonly totals: GroupSums | null;
  readonly keptFromMs: number | null;
  /** Runs that retention has deleted are in it. */
  readonly includesDeleted: boolean;
}

/** Adds up a report, step by step: the object serves others in between, and memory is bounded by the groups. */
export async function collect(
  org: OrgDoor,
  report: Report,
): Promise<CollectedReport | Refusal<DoorCode | "validation_failed">> {
  let [sums, totals, tries]: [GroupSums, GroupSums | null, number] = [new GroupSums(), null, 0];
  let cursor: ReportCursor | null = null;
  for (;;) {
    const step: Awaited<ReturnType<typeof nextStep>> = await nextStep(org, report, cursor);
    if (isRefusal(step)) return step;
    const { rows, isTotal, isAnew, keptFromMs, includesDeleted, next } = step.body;
    if (isAnew) {
      sums = new GroupSums();
      tries += 1;
      if (tries > TRIES) return beingDeleted();
    }
    if (isTotal) totals ??= new GroupSums();
    const into = totals ?? sums;
    for (const [names, nanos, counts] of rows) into.add(names, BigInt(nanos), counts);
    if (into.isTooMany) return tooMany();
    if (next === null) return { sums, totals, keptFromMs, includesDeleted };
    cursor = next;
  }
}

const nextStep = (org: OrgDoor, report: Report, cursor: ReportCursor | null) =>
  org.query("sumUsage", { report, cursor });

function beingDeleted(): Refusal<"service_unavailable"> {
  return refuse("service_unavailable", {}, { message: "Runs of this report are being deleted. Try again." });
}
