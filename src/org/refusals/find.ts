import type { RefusalNote } from "../../domain/refusal/note.ts";
import { placeId, rowOf } from "../../domain/bytes/ulid.ts";
import { type BatchRow, batchOf, lastAtOf, seqAfterHourOf } from "./store.ts";

/** A page scans this many refusals. A page that ends there is short or empty, and says where to continue. */
const NOTES_SEEN = 20_000;

export interface StoredRefusal extends RefusalNote {
  readonly id: string;
}

/** Each filter is a value that refusals must have. */
export interface RefusalFilter {
  readonly filters: Readonly<
    Partial<Record<"trace" | "code" | "customerId" | "workflowId" | "keyId" | "limit", string>>
  >;
  /** In milliseconds, `to` exclusive. */
  readonly from: number;
  readonly to: number;
  /** Only refusals after this one, newest first. */
  readonly after: { readonly at: number; readonly id: string } | null;
  readonly limit: number;
}

export interface RefusalPage {
  readonly refusals: readonly StoredRefusal[];
  /** Where the next page starts. Null if there is none. */
  readonly next: { readonly at: number; readonly id: string } | null;
}

/** Sorts after every id of its millisecond, in a list with the newest first. */
const BEFORE_ALL = "\u007f";

/**
 * Newest first. Rows of several isolates overlap in time, so a refusal is next only when every row that may have a
 * later one has been read.
 */
export function findRefusals(sql: SqlStorage, sought: RefusalFilter): RefusalPage {
  const latest = Math.min(sought.to - 1, sought.after?.at ?? Number.MAX_SAFE_INTEGER);
  let found: StoredRefusal[] = [];
  let seen = 0;
  for (const row of rowsUntil(sql, sought, latest)) {
    const lastAt = lastAtOf(row.seq);
    if (lastAt < sought.from) break;
    const certain = found.filter(({ at }) => at > lastAt);
    if (certain.length > sought.limit) break;
    if (seen >= NOTES_SEEN) return pageOf(certain, sought.limit, { at: lastAt, id: BEFORE_ALL });
    seen += row.notes;
    for (const refusal of refusalsIn(row)) if (isSought(refusal, sought)) found.push(refusal);
    found = found.sort(newestFirst);
  }
  return pageOf(found, sought.limit, null);
}

/** One refusal by its id, which names the row that has it. */
export function findRefusal(sql: SqlStorage, id: string): StoredRefusal | undefined {
  const [row] = sql.exec<BatchRow>("SELECT * FROM refusal_batches WHERE seq = ?", rowOf(id)).toArray();
  return row === undefined ? undefined : refusalsIn(row).find((refusal) => refusal.id === id);
}

function pageOf(all: readonly StoredRefusal[], limit: number, beyond: RefusalPage["next"]): RefusalPage {
  const refusals = all.slice(0, limit);
  const last = refusals.at(-1);
  return { refusals, next: all.length > limit && last !== undefined ? { at: last.at, id: last.id } : beyond };
}

/** Each text of a row is in it once, as JSON, so rows without the filter's value need not be parsed. */
function rowsUntil(sql: SqlStorage, { filters }: RefusalFilter, latest: number): Iterable<BatchRow> {
  const texts = Object.values(filters).map((text) => JSON.stringify(text));
  return sql.exec<BatchRow>(
    `SELECT * FROM refusal_batches WHERE seq < ? AND first_at <= ? ${texts.map(() => "AND instr(body, ?) > 0").join(" ")}
     ORDER BY seq DESC`,
    latest === Number.MAX_SAFE_INTEGER ? latest : seqAfterHourOf(latest),
    latest,
    ...texts,
  );
}

function refusalsIn(row: BatchRow): StoredRefusal[] {
  return batchOf(row).notes.map((note, index) => ({ ...note, id: placeId("ref", note.at, row.seq, index) }));
}

function isSought(refusal: StoredRefusal, { filters, from, to, after }: RefusalFilter): boolean {
  if (refusal.at < from || refusal.at >= to) return false;
  if (after !== null && newestFirst(after, refusal) >= 0) return false;
  for (const [name, value] of Object.entries(filters)) {
    if (refusal[name as keyof RefusalFilter["filters"]] !== value) return false;
  }
  return true;
}

function newestFirst(one: Pick<StoredRefusal, "at" | "id">, other: Pick<StoredRefusal, "at" | "id">): number {
  if (one.at !== other.at) return other.at - one.at;
  if (one.id === other.id) return 0;
  return one.id > other.id ? -1 : 1;
}
