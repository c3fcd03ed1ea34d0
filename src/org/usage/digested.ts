import type { ReportAsk } from "../../domain/usage-report/ask.ts";
import { digestedColumn } from "../../domain/usage-report/digest.ts";
import { type BlockEntry, lastSeqOf } from "../runs/blocks/entry.ts";
import { type DigestEntry, readDigestEntries } from "../runs/digests/table.ts";

/** A block that a report reads, or blocks that it takes the digest of. */
export interface ScanPart {
  readonly entries: readonly BlockEntry[];
  readonly digest: { readonly column: number; readonly firstSeq: number } | null;
  /** Runs or groups to add up. */
  readonly count: number;
  readonly bytes: number;
}

export interface ScannedRuns {
  readonly ask: ReportAsk;
  /** The first and last run that may count. */
  readonly fromRun: number;
  readonly toRun: number;
  /** Runs that do not count. */
  readonly replaced: readonly number[];
}

/** How a report reads these blocks, which follow one another: by digests, where those are about nothing else. */
export function partsOf(sql: SqlStorage, entries: readonly BlockEntry[], runs: ScannedRuns): ScanPart[] {
  const column = digestedColumn(runs.ask);
  const [first, last] = [entries[0], entries.at(-1)];
  if (column === null || first === undefined || last === undefined) return entries.map(alone);
  const digests = readDigestEntries(sql, column, [first.firstSeq, last.firstSeq]);
  const bySeq = new Map(digests.map((digest) => [digest.firstSeq, digest]));
  const parts: ScanPart[] = [];
  for (let at = 0; at < entries.length;) {
    const entry = entries[at];
    if (entry === undefined) break;
    const digest = bySeq.get(entry.firstSeq);
    const covered = digest === undefined ? [] : coveredBy(digest, entries, at);
    if (digest === undefined || covered.length === 0 || !isAllAsked(digest, runs)) {
      parts.push(alone(entry));
      at += 1;
    } else {
      const { groups, bytes, firstSeq } = digest;
      parts.push({ entries: covered, digest: { column, firstSeq }, count: groups, bytes });
      at += covered.length;
    }
  }
  return parts;
}

const alone = (entry: BlockEntry): ScanPart => ({
  entries: [entry],
  digest: null,
  count: entry.runs,
  bytes: entry.bytes,
});

/** The blocks of a digest. Empty: some of them are not among these. */
function coveredBy({ lastSeq }: DigestEntry, entries: readonly BlockEntry[], from: number): BlockEntry[] {
  const covered: BlockEntry[] = [];
  for (let at = from, next = entries[from]?.firstSeq ?? 0; next <= lastSeq; at += 1) {
    const entry = entries[at];
    if (entry?.firstSeq !== next || lastSeqOf(entry) > lastSeq) return [];
    covered.push(entry);
    next = lastSeqOf(entry) + 1;
  }
  return covered;
}

/** Whether all runs of a digest count. */
function isAllAsked(digest: DigestEntry, { ask, fromRun, toRun, replaced }: ScannedRuns): boolean {
  const { firstSeq, lastSeq, startedMin, startedMax, groups } = digest;
  return (
    groups > 0 &&
    firstSeq >= fromRun &&
    lastSeq <= toRun &&
    startedMin >= ask.fromMs &&
    startedMax < ask.toMs &&
    !replaced.some((seq) => seq >= firstSeq && seq <= lastSeq)
  );
}
