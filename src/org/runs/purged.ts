import { createHash } from "node:crypto";
import { type HashKey, keyHashOf } from "../../storage/key-index/key-hash.ts";
import { NAME_BYTES, type Remains, SAID_BYTES } from "../../domain/run-block/remains.ts";
import { RUN_ID_KEPT_MS } from "../../domain/retention.ts";
import { extraOf } from "./extra.ts";
import type { RunInput } from "../../contract/resources/runs.ts";
import type { Run } from "./run.ts";
import { runOf } from "./run-of.ts";
import { digestOf, digestOfRun, saidByInput } from "./same.ts";
import { NOTHING_MORE } from "../../domain/admission.ts";

function nameOf(id: string): string {
  return createHash("sha256")
    .update(id)
    .digest("hex")
    .slice(0, NAME_BYTES * 2);
}

/** How much of a digest is stored, in hexadecimal. */
const SAID_DIGITS = SAID_BYTES * 2;

/** What remains of a run that is about to be deleted. */
export function remainsOf(run: Run, key: HashKey): Remains {
  const { id, recordedAt, chargedAt, depth, cost } = run;
  const said = digestOfRun(run).slice(0, SAID_DIGITS);
  return { number: keyHashOf(id, key), name: nameOf(id), said, recordedAt, chargedAt, depth, cost };
}

/** Which of the ids belong to deleted runs. `remains` are candidates. */
export function findPurged(
  ids: readonly string[],
  remains: readonly Remains[],
  now: number,
): Map<string, Remains> {
  const found = new Map<string, Remains>();
  if (ids.length === 0 || remains.length === 0) return found;
  const names = new Map(ids.map((id) => [nameOf(id), id]));
  for (const one of remains) {
    const id = names.get(one.name);
    if (id !== undefined && one.recordedAt > now - RUN_ID_KEPT_MS) found.set(id, one);
  }
  return found;
}

/**
 * The run as it was sent again and recorded before. Null if that was a different run. What it was charged to is
 * unknown.
 */
export function purgedRun(remains: Remains, input: RunInput & { readonly id: string }): Run | null {
  if (digestOf(saidByInput(input)).slice(0, SAID_DIGITS) !== remains.said) return null;
  return runOf(input, {
    id: input.id,
    keyId: null,
    chargedAt: remains.chargedAt,
    recordedAt: remains.recordedAt,
    depth: remains.depth,
    cost: remains.cost,
    charges: "",
    extra: extraOf(input, NOTHING_MORE, [], { revision: null, hold: null, accounts: [], keyId: null }),
  });
}
