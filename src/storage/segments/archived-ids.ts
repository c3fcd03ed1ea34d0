import { type HashKey, keyHashOf } from "../key-index/key-hash.ts";
import { secondHashOf } from "../key-index/second-hash.ts";
import type { SegmentPlace } from "./layout.ts";

/** The hashes of the ids in an archived segment, in the order of its rows. */
interface IdHashes {
  readonly firstSeq: number;
  readonly keyHashes: Uint32Array;
  readonly secondHashes: Uint16Array;
}

const BYTES_EACH = Uint32Array.BYTES_PER_ELEMENT + Uint16Array.BYTES_PER_ELEMENT;

/** As they are stored: the key hashes, then the others. */
export function hashIds(ids: readonly string[], key: HashKey): ArrayBuffer {
  const stored = new ArrayBuffer(ids.length * BYTES_EACH);
  const { keyHashes, secondHashes } = readHashes(0, stored);
  for (const [at, id] of ids.entries()) {
    keyHashes[at] = keyHashOf(id, key);
    secondHashes[at] = secondHashOf(id, key);
  }
  return stored;
}

function readHashes(firstSeq: number, stored: ArrayBuffer): IdHashes {
  const count = stored.byteLength / BYTES_EACH;
  return {
    firstSeq,
    keyHashes: new Uint32Array(stored, 0, count),
    secondHashes: new Uint16Array(stored, count * Uint32Array.BYTES_PER_ELEMENT, count),
  };
}

/** The hashes of the archived segment that has a seq. */
export function archivedHashes({ sql, name }: SegmentPlace, seq: number): IdHashes {
  const { first_seq: firstSeq, hashes } = sql
    .exec<{ first_seq: number; hashes: ArrayBuffer }>(
      `SELECT first_seq, hashes FROM ${name}_file_segments WHERE first_seq <= ? ORDER BY first_seq DESC LIMIT 1`,
      seq,
    )
    .one();
  return readHashes(firstSeq, hashes);
}

const SECOND_HASHES = 2 ** 16;

/** Ids that are looked up among archived rows by their hashes, so that hardly a file is read for an id that it lacks. */
export class ArchivedIdProbe {
  readonly #place: SegmentPlace;
  readonly #idByHash: ReadonlyMap<number, string>;
  #last: IdHashes | null = null;

  constructor(place: SegmentPlace, ids: Iterable<string>, key: HashKey) {
    this.#place = place;
    this.#idByHash = new Map(
      Array.from(ids, (id) => [keyHashOf(id, key) * SECOND_HASHES + secondHashOf(id, key), id]),
    );
  }

  /** The id that an archived row has, by all that is known here. Null if it has none of the ids. */
  idAt(seq: number): string | null {
    const { firstSeq, keyHashes, secondHashes } = this.#hashesWith(seq);
    const at = seq - firstSeq;
    return this.#idByHash.get((keyHashes[at] ?? 0) * SECOND_HASHES + (secondHashes[at] ?? 0)) ?? null;
  }

  #hashesWith(seq: number): IdHashes {
    const last = this.#last;
    const isThere = last !== null && seq >= last.firstSeq && seq < last.firstSeq + last.keyHashes.length;
    return (this.#last = isThere ? last : archivedHashes(this.#place, seq));
  }
}
