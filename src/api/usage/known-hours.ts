import { isRefusal } from "../../contract/refusal.ts";
import { type HourSpend, HourSums } from "../../domain/forecast/hours.ts";
import type { OrgDoor } from "../../edge/object/org-door.ts";
import type { Place } from "../../org/unusual/new-hours.ts";

/** Steps of the object. Each reads up to 100,000 runs. If the org has a webhook for unusual spend, only runs of the last hour are left to read. */
const MOST_STEPS = 10;

/** All hours that are known. Null if that would be too much to read, or some of it cannot be read now. */
export async function readHours(org: OrgDoor): Promise<readonly HourSpend[] | null> {
  const sums = new HourSums();
  let after: Place | null = null;
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const found: Awaited<ReturnType<typeof nextStep>> = await nextStep(org, after);
    if (isRefusal(found)) return null;
    for (const spend of found.body.spends) sums.add(spend);
    after = found.body.next;
    if (after === null) return sums.rows();
  }
  return null;
}

const nextStep = (org: OrgDoor, after: Place | null) => org.query("subjectHours", { after });
