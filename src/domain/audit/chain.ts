import { hash } from "node:crypto";

/** One audit entry. `hash` covers all of it and the previous hash. */
export interface AuditEntry {
  readonly seq: number;
  readonly id: string;
  readonly at: number;
  readonly action: string;
  readonly actorKind: string;
  readonly actorId: string;
  /** The person on whose behalf the actor acts (support access). */
  readonly onBehalfOf: string | null;
  readonly target: string | null;
  readonly outcome: "done" | "refused" | "read";
  readonly trace: string;
  readonly address: string | null;
  /** JSON text. */
  readonly detail: string;
}

export const CHAIN_START = "0".repeat(64);

/**
 * The entry as it is stored, because the hash covers the stored text. SQLite would return an unpaired surrogate as
 * U+FFFD, and the entry would look changed forever. Earlier checks should refuse such text.
 */
export function toStoredEntry(entry: AuditEntry): AuditEntry {
  const parts = Object.entries(entry).map(([name, part]: [string, unknown]) => [
    name,
    typeof part === "string" ? part.toWellFormed() : part,
  ]);
  return Object.fromEntries(parts) as AuditEntry;
}

export function chainHash(previous: string, entry: AuditEntry): string {
  const text = JSON.stringify([
    previous,
    entry.seq,
    entry.id,
    entry.at,
    entry.action,
    entry.actorKind,
    entry.actorId,
    entry.onBehalfOf,
    entry.target,
    entry.outcome,
    entry.trace,
    entry.address,
    entry.detail,
  ]);
  return hash("sha256", text, "hex");
}
