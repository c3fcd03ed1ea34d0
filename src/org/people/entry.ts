import { type EntryProblem, entryProblem } from "../../domain/entry.ts";
import type { View } from "../kernel/door.ts";
import { loadRegions } from "../residency/rule.ts";

/** Whether the org lets its people in from the address of the actor, in the region where the request landed. */
export function entryProblemOf(view: View, region: string): EntryProblem | null {
  const rules = { ipAllowList: view.profile().ipAllowList, regions: loadRegions(view.sql) };
  return entryProblem(rules, { address: view.actor.address, region });
}
