import { writeBatch } from "../../domain/refusal/batch.ts";
import type { RefusalNote } from "../../domain/refusal/note.ts";
import type { LeaseObject } from "../lease/background.ts";
import { writeAsk } from "../lease/wire.ts";

/** Reports one refusal by itself, for an org that has no gate here. `holder` is a unique name. */
export async function reportAlone(object: LeaseObject, holder: string, note: RefusalNote): Promise<void> {
  const report = writeAsk({
    ask: { holder, attempt: 1, batches: [], wants: new Map() },
    touches: [],
    watch: [],
    lagMs: null,
    heard: null,
    refusals: { number: 1, batch: writeBatch({ notes: [note], more: [] }) },
  });
  try {
    await object.syncLeases(report);
  } catch {
    // There is nothing left to send it again with.
  }
}
