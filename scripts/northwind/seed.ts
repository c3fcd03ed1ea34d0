import type { Seeder } from "../seeding/call.ts";
import { DEEDS, type Seeding } from "./deeds.ts";
import type { Journal } from "./journal.ts";
import { northwindRuns } from "./runs.ts";

export interface Northwind {
  readonly org_id: string;
  readonly owner_key: string;
}

/**
 * An org that has been used for two months, made through the public API while the clock of the Worker goes from then to
 * now. So every time that it stores is when that happened, by its own clock. A seeding that was interrupted continues
 * where it was.
 */
export async function seedNorthwind(operator: Seeder, journal: Journal): Promise<Northwind> {
  const { clock, moments } = journal;
  const seeding: Seeding = { operator, journal, runs: northwindRuns(journal.begun.nowMs) };
  for (const [at, { atMs, deed }] of moments.entries()) {
    if (at < journal.begun.done) continue;
    if (moments[at - 1]?.atMs !== atMs) await clock.moveTo(atMs, operator);
    await DEEDS[deed](seeding, atMs);
    journal.note({ done: at + 1 });
  }
  const { org_id, owner_key } = journal.begun;
  if (org_id === null || owner_key === null) throw new Error("Northwind was not opened");
  await clock.catchUp(org_id, operator);
  return { org_id, owner_key };
}
