import { HOUR_MS } from "../../contract/durations.ts";
import type { RefusalNote } from "./note.ts";

/** The fields that refusals are grouped by. */
export type RefusalGroup = { readonly hour: number } & Pick<
  RefusalNote,
  "code" | "limit" | "keyId" | "customerId" | "workflowId"
>;

export interface RefusalSum extends RefusalGroup {
  readonly count: number;
  readonly nanos: bigint;
}

/** Stands for all customers and workflows that are not listed separately. No caller's id contains this character. */
export const OTHER = "…";

export function hourOf(ms: number): number {
  return ms - (ms % HOUR_MS);
}

/** A sum of counts. One that no number holds exactly stays at the largest that does. */
export function countsOf(one: number, other: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, one + other);
}

/**
 * Exact counts and amounts by group. Above the maximum number of groups, new ones are counted without their customer
 * and workflow, so the sums by code, limit and key stay exact.
 */
export class RefusalSums {
  readonly #sums = new Map<string, { group: RefusalGroup; count: number; nanos: bigint }>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#sums.size;
  }

  add(group: RefusalGroup, count: number, nanos: bigint): void {
    const known = this.#sums.get(keyOf(group));
    if (known !== undefined) {
      known.count = countsOf(known.count, count);
      known.nanos += nanos;
    } else if (this.#sums.size < this.#most || group.customerId === OTHER) {
      this.#sums.set(keyOf(group), { group, count, nanos });
    } else this.add({ ...group, customerId: OTHER, workflowId: OTHER }, count, nanos);
  }

  addNote(note: RefusalNote): void {
    const { code, limit, keyId, customerId, workflowId } = note;
    const group = { hour: hourOf(note.at), code, limit, keyId, customerId, workflowId };
    this.add(group, 1, note.nanos === null ? 0n : BigInt(note.nanos));
  }

  *entries(): Generator<RefusalSum> {
    for (const { group, count, nanos } of this.#sums.values()) yield { ...group, count, nanos };
  }
}

/** Ids and codes are printable, so a line break cannot be part of one. */
function keyOf({ hour, code, limit, keyId, customerId, workflowId }: RefusalGroup): string {
  return `${hour}\n${code}\n${limit}\n${keyId ?? ""}\n${customerId ?? ""}\n${workflowId ?? ""}`;
}
