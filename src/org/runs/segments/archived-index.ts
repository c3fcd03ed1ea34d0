import { secondHashOf } from "../../../storage/key-index/second-hash.ts";
import { type HashKey, keyHashOf } from "../../../storage/key-index/key-hash.ts";
import { NameFilter } from "../../../storage/segments/name-filter.ts";
import type { ArchiveFile, SegmentMetadata } from "./metadata.ts";
import { type FileIndex, readFileIndex } from "./files.ts";
import { mayHaveAll, type Named } from "./table.ts";

/** What the object knows of archived runs without reading their file. */

/** The numbers of the ids in an archived segment. */
export function archivedKeyHashes(sql: SqlStorage, { firstSeq, runs, place }: SegmentMetadata): Uint32Array {
  if (place === undefined) throw new Error(`run ${firstSeq} is not archived`);
  const at = firstSeq - place.file.firstSeq;
  return readFileIndex(sql, place.file).numbers.slice(at, at + runs);
}

/** The first seqs of archived segments that may contain runs with all these names. */
export function archivedWithNames(
  sql: SqlStorage,
  names: readonly Named[],
  segments: readonly SegmentMetadata[],
): number[] {
  const indexes = new Indexes(sql);
  const found: number[] = [];
  for (const { firstSeq, place } of segments) {
    if (place === undefined) continue;
    const { offset, bytes } = place.names;
    const filter = NameFilter.read(indexes.of(place.file).names.slice(offset, offset + bytes).buffer);
    if (mayHaveAll(filter, names)) found.push(firstSeq);
  }
  return found;
}

/** Reads the index of each file once. */
class Indexes {
  readonly #sql: SqlStorage;
  #last: { readonly file: ArchiveFile; readonly index: FileIndex } | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  of(file: ArchiveFile): FileIndex {
    if (this.#last?.file.firstSeq !== file.firstSeq)
      this.#last = { file, index: readFileIndex(this.#sql, file) };
    return this.#last.index;
  }
}

const MARKS = 2 ** 16;

/** Ids that are looked up among archived runs by their hashes, so that hardly a file is read for an id that it lacks. */
export class FileProbe {
  readonly ids: ReadonlySet<string>;
  readonly #key: HashKey;
  readonly #indexes: Indexes;
  #hashes: ReadonlyMap<number, string> | null = null;

  constructor(sql: SqlStorage, ids: ReadonlySet<string>, key: HashKey) {
    this.ids = ids;
    this.#key = key;
    this.#indexes = new Indexes(sql);
  }

  /** The id that a run in a file has, by all that is known here. Null if it has none of the ids. */
  idAt(segment: SegmentMetadata | undefined, seq: number): string | null {
    if (segment?.place === undefined) return null;
    const { file } = segment.place;
    const { numbers, marks } = this.#indexes.of(file);
    const at = seq - file.firstSeq;
    return this.#byHash().get((numbers[at] ?? 0) * MARKS + (marks[at] ?? 0)) ?? null;
  }

  #byHash(): ReadonlyMap<number, string> {
    this.#hashes ??= new Map(
      Array.from(this.ids, (id) => [keyHashOf(id, this.#key) * MARKS + secondHashOf(id, this.#key), id]),
    );
    return this.#hashes;
  }
}
