import { type HashKey, keyHashOf } from "../key-index/key-hash.ts";
import type { HashProbe } from "../key-index/probe.ts";
import { secondHashOf } from "../key-index/second-hash.ts";
import type { SegmentPlace } from "./layout.ts";
import type { ArchivedFile, SegmentMetadata } from "./metadata.ts";
import { NameFilter } from "./name-filter.ts";

/**
 * The facts about archived rows that the object knows without reading their file: filters of names, and the hashes of
 * all ids.
 */
export interface FileIndex {
  readonly names: Uint8Array<ArrayBuffer>;
  readonly keyHashes: Uint32Array;
  readonly secondHashes: Uint16Array;
}

const KEY_HASH_BYTES = 4;

export function readFileIndex({ sql, name }: SegmentPlace, { firstSeq, rows }: ArchivedFile): FileIndex {
  const [row] = sql
    .exec<{ names: ArrayBuffer; ids: ArrayBuffer }>(
      `SELECT names, ids FROM ${name}_file_indexes WHERE first_seq = ?`,
      firstSeq,
    )
    .toArray();
  if (row === undefined) throw new Error(`the index of the archived ${name} ${firstSeq} is missing`);
  return {
    names: new Uint8Array(row.names),
    keyHashes: new Uint32Array(row.ids, 0, rows),
    secondHashes: new Uint16Array(row.ids, rows * KEY_HASH_BYTES, rows),
  };
}

/** The hashes as they are stored. */
export function storedHashes(keyHashes: Uint32Array, secondHashes: Uint16Array): ArrayBuffer {
  const bytes = new Uint8Array(keyHashes.byteLength + secondHashes.byteLength);
  bytes.set(new Uint8Array(keyHashes.buffer, keyHashes.byteOffset, keyHashes.byteLength));
  bytes.set(
    new Uint8Array(secondHashes.buffer, secondHashes.byteOffset, secondHashes.byteLength),
    keyHashes.byteLength,
  );
  return bytes.buffer;
}

/** The key hashes of the ids in an archived segment. */
export function archivedKeyHashes(
  place: SegmentPlace,
  { firstSeq, rows, place: at }: SegmentMetadata,
): Uint32Array {
  if (at === undefined) throw new Error(`${place.name} ${firstSeq} is not archived`);
  const from = firstSeq - at.file.firstSeq;
  return readFileIndex(place, at.file).keyHashes.slice(from, from + rows);
}

/** The filter of the names in an archived segment. */
export function archivedFilter({ names }: Pick<FileIndex, "names">, { place }: SegmentMetadata): ArrayBuffer {
  const { offset, bytes } = place?.names ?? { offset: 0, bytes: 0 };
  return names.slice(offset, offset + bytes).buffer;
}

/** The first seqs of archived segments that may contain rows with all these names. */
export function archivedWithNames(
  { sql, name }: SegmentPlace,
  probe: HashProbe,
  segments: readonly SegmentMetadata[],
): number[] {
  const files = Map.groupBy(segments, ({ place }) => place?.file.firstSeq);
  return [...files].flatMap(([file, own]) => {
    if (file === undefined) return [];
    const { names } = sql
      .exec<{ names: ArrayBuffer }>(`SELECT names FROM ${name}_file_indexes WHERE first_seq = ?`, file)
      .one();
    const filters = { names: new Uint8Array(names) };
    const found = own.filter((segment) => NameFilter.read(archivedFilter(filters, segment)).mayHave(probe));
    return found.map(({ firstSeq }) => firstSeq);
  });
}

/** Reads the index of each file once. */
class Indexes {
  readonly #place: SegmentPlace;
  #last: { readonly file: ArchivedFile; readonly index: FileIndex } | null = null;

  constructor(place: SegmentPlace) {
    this.#place = place;
  }

  of(file: ArchivedFile): FileIndex {
    if (this.#last?.file.firstSeq !== file.firstSeq)
      this.#last = { file, index: readFileIndex(this.#place, file) };
    return this.#last.index;
  }
}

const SECOND_HASHES = 2 ** 16;

/** Ids that are looked up among archived rows by their hashes, so that hardly a file is read for an id that it lacks. */
export class FileProbe {
  readonly ids: ReadonlySet<string>;
  readonly #key: HashKey;
  readonly #indexes: Indexes;
  #hashes: ReadonlyMap<number, string> | null = null;

  constructor(place: SegmentPlace, ids: ReadonlySet<string>, key: HashKey) {
    this.ids = ids;
    this.#key = key;
    this.#indexes = new Indexes(place);
  }

  /** The id that a row in a file has, by all that is known here. Null if it has none of the ids. */
  idAt({ place }: SegmentMetadata, seq: number): string | null {
    if (place === undefined) return null;
    const { keyHashes, secondHashes } = this.#indexes.of(place.file);
    const at = seq - place.file.firstSeq;
    return this.#byHash().get((keyHashes[at] ?? 0) * SECOND_HASHES + (secondHashes[at] ?? 0)) ?? null;
  }

  #byHash(): ReadonlyMap<number, string> {
    const hashOf = (id: string) => keyHashOf(id, this.#key) * SECOND_HASHES + secondHashOf(id, this.#key);
    return (this.#hashes ??= new Map(Array.from(this.ids, (id) => [hashOf(id), id])));
  }
}
