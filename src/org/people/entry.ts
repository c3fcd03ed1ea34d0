import { type EntryProblem, entryProblem } from "../../domain/network/access.ts";
import type { View } from "../kernel/door.ts";
import { loadRegions } from "../residency/rule.ts";

/** Returns whether the org admits its people from the actor's address, in the region that received the request. */
export function entryProblemOf(view: View, region: string): EntryProblem | null {
  const rules = { ipAllowList: view.profile().ipAllowList, regions: loadRegions(view.sql) };
  return entryProblem(rules, { address: view.actor.address, region });
}
