import { type AuditEntry, CHAIN_START, chainHash } from "./chain.ts";

export type StoredEntry = AuditEntry & { readonly hash: string };
export type ChainBreak = {
  kind: "changed" | "moved" | "dropped" | "appended";
  seq: number;
  entry_id: string | null;
  message: string;
};

/** The position of a walk, so that a chain of any length is verified in bounded steps. */
export type Walk = { seq: number; hash: string; at: number; checked: number; breaks: ChainBreak[] };

/** Limits the report: in a replaced trail, every entry would be a break. */
const MOST_BREAKS = 100;

/** A walk starts at the entry before the first one: none, or the last entry that retention deleted. */
export function beginWalk(anchor: { seq: number; hash: string } | undefined): Walk {
  return { seq: anchor?.seq ?? 0, hash: anchor?.hash ?? CHAIN_START, at: 0, checked: 0, breaks: [] };
}

/** Each break is reported once: the walk continues with the entry's own hash. */
export function walkOn(walk: Walk, entries: readonly StoredEntry[]): Walk {
  let { seq, hash, at } = walk;
  const breaks = [...walk.breaks];
  for (const entry of entries) {
    const found = breakAt({ seq, hash, at }, entry);
    if (found && breaks.length < MOST_BREAKS) breaks.push(found);
    seq = entry.seq;
    hash = entry.hash;
    at = Math.max(at, entry.at);
  }
  return { seq, hash, at, checked: walk.checked + entries.length, breaks };
}

function breakAt(
  before: { seq: number; hash: string; at: number },
  entry: StoredEntry,
): ChainBreak | undefined {
  const said = { seq: entry.seq, entry_id: entry.id };
  if (entry.seq !== before.seq + 1) {
    const missing = entry.seq - before.seq - 1;
    return { kind: "dropped", ...said, message: `${missing} entries before this one are missing` };
  }
  if (chainHash(before.hash, entry) === entry.hash) return undefined;
  if (entry.at < before.at) {
    return { kind: "moved", ...said, message: "this entry is older than the previous one" };
  }
  return {
    kind: "changed",
    ...said,
    message: "this entry is not the one that was written after the previous one",
  };
}

/** Compares the end of the walk with the recorded end of the trail, to find missing or added entries. */
export function endWalk(walk: Walk, head: { seq: number; hash: string } | undefined): ChainBreak[] {
  const last = head ?? { seq: 0, hash: CHAIN_START };
  if (walk.seq === last.seq && walk.hash === last.hash) return walk.breaks;
  if (walk.seq < last.seq) {
    const message = `the last ${last.seq - walk.seq} entries are missing`;
    return [...walk.breaks, { kind: "dropped", seq: last.seq, entry_id: null, message }];
  }
  const kind = walk.seq > last.seq ? "appended" : "changed";
  const message =
    kind === "appended"
      ? `entries after ${last.seq} were not written by the service`
      : "the last entry was replaced";
  return [...walk.breaks, { kind, seq: walk.seq, entry_id: null, message }];
}
