import { createHash } from "node:crypto";
import { type HashKey, keyHashOf } from "../../storage/key-index/key-hash.ts";
import { NAME_BYTES, type Tombstone, SAID_BYTES } from "../../domain/run/segment/tombstones.ts";
import { RUN_ID_KEPT_MS } from "../../domain/run/retention.ts";
import { extraOf } from "./extra.ts";
import type { RunInput } from "../../contract/resources/runs/runs.ts";
import type { Run } from "./run.ts";
import { runOf } from "./run-of.ts";
import { digestOf, digestOfRun, contentOfInput } from "./duplicate-check.ts";
import { NOTHING_MORE } from "../../domain/meter/admission.ts";

function nameOf(id: string): string {
  return createHash("sha256")
    .update(id)
    .digest("hex")
    .slice(0, NAME_BYTES * 2);
}

/** How much of a digest is stored, in hexadecimal. */
const SAID_DIGITS = SAID_BYTES * 2;

/** The tombstone of a run that is about to be deleted. */
export function tombstoneOf(run: Run, key: HashKey): Tombstone {
  const { id, recordedAt, chargedAt, depth, cost } = run;
  const said = digestOfRun(run).slice(0, SAID_DIGITS);
  return { keyHash: keyHashOf(id, key), name: nameOf(id), said, recordedAt, chargedAt, depth, cost };
}

/** Returns the ids that belong to deleted runs. `tombstones` are candidates. */
export function findPurged(
  ids: readonly string[],
  tombstones: readonly Tombstone[],
  now: number,
): Map<string, Tombstone> {
  const found = new Map<string, Tombstone>();
  if (ids.length === 0 || tombstones.length === 0) return found;
  const names = new Map(ids.map((id) => [nameOf(id), id]));
  for (const one of tombstones) {
    const id = names.get(one.name);
    if (id !== undefined && one.recordedAt > now - RUN_ID_KEPT_MS) found.set(id, one);
  }
  return found;
}

/**
 * The run as it was sent again and recorded before. Null if that was a different run. The accounts that it was charged
 * to are unknown.
 */
export function purgedRun(tombstone: Tombstone, input: RunInput & { readonly id: string }): Run | null {
  if (digestOf(contentOfInput(input)).slice(0, SAID_DIGITS) !== tombstone.said) return null;
  return runOf(input, {
    id: input.id,
    keyId: null,
    chargedAt: tombstone.chargedAt,
    recordedAt: tombstone.recordedAt,
    depth: tombstone.depth,
    cost: tombstone.cost,
    charges: "",
    extra: extraOf(input, NOTHING_MORE, [], {
      revision: null,
      saved: 0n,
      hold: null,
      accounts: [],
      keyId: null,
      trace: null,
    }),
  });
}
