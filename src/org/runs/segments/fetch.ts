import { createHash } from "node:crypto";
import { DIGEST_BYTES } from "../../../domain/run-archive/groups.ts";
import { Unreadable } from "../../../storage/needs-fetch.ts";
import type { Archive } from "./archive-binding.ts";
import type { ArchiveFile, SegmentMetadata } from "./metadata.ts";

type Fetched = Uint8Array<ArrayBuffer> | Unreadable;

/** A file is read in pieces of at most this size, or one segment. */
const PIECE_BYTES = 4_194_304;
/** Requests at once. The platform allows six. */
const AT_ONCE = 4;

export function digestOf(data: Uint8Array): Uint8Array {
  return createHash("sha256").update(data).digest().subarray(0, DIGEST_BYTES);
}

interface Piece {
  readonly file: ArchiveFile;
  readonly offset: number;
  readonly segments: SegmentMetadata[];
  length: number;
}

/** Reads archived segments, each as it was stored, or why it cannot be read. */
export async function fetchSegments(
  archive: Archive,
  segments: readonly SegmentMetadata[],
): Promise<ReadonlyMap<number, Fetched>> {
  const found = new Map<number, Fetched>();
  const pieces = piecesOf(segments);
  for (let from = 0; from < pieces.length; from += AT_ONCE) {
    const some = pieces.slice(from, from + AT_ONCE);
    const read = await Promise.all(some.map((piece) => fetchPiece(archive, piece)));
    for (const [at, { segments: wanted, offset }] of some.entries()) {
      for (const segment of wanted) found.set(segment.firstSeq, cut(read[at], segment, offset));
    }
  }
  return found;
}

function piecesOf(segments: readonly SegmentMetadata[]): Piece[] {
  const pieces: Piece[] = [];
  for (const segment of segments.toSorted((one, other) => one.firstSeq - other.firstSeq)) {
    const { place } = segment;
    if (place === undefined) continue;
    const last = pieces.at(-1);
    const isNext = last?.file.name === place.file.name && last.offset + last.length === place.offset;
    if (last !== undefined && isNext && last.length + segment.bytes <= PIECE_BYTES) {
      last.segments.push(segment);
      last.length += segment.bytes;
    } else {
      pieces.push({ file: place.file, offset: place.offset, segments: [segment], length: segment.bytes });
    }
  }
  return pieces;
}

async function fetchPiece({ bucket }: Archive, { file, offset, length }: Piece): Promise<Fetched> {
  if (bucket === null)
    return unreadable(file, "cannot be read, because no bucket is bound as ARCHIVE", "Bind it");
  try {
    const found = await bucket.get(file.name, { range: { offset, length } });
    if (found === null) return unreadable(file, "is missing", PUT_BACK);
    if (found.size !== file.bytes) {
      return unreadable(file, `has ${found.size} bytes instead of ${file.bytes}`, PUT_BACK);
    }
    return new Uint8Array(await found.arrayBuffer());
  } catch (error) {
    return unreadable(file, `cannot be read now (${String(error)})`, "Wait a moment");
  }
}

function cut(read: Fetched | undefined, segment: SegmentMetadata, from: number): Fetched {
  const { place } = segment;
  if (read === undefined || place === undefined) throw new Error("only archived segments are fetched");
  if (read instanceof Unreadable) return read;
  const start = place.offset - from;
  const data = read.slice(start, start + segment.bytes);
  return Buffer.compare(digestOf(data), place.digest) === 0
    ? data
    : unreadable(place.file, "is damaged", PUT_BACK);
}

const PUT_BACK = "Put the original file back";

function unreadable({ name, firstSeq, runs }: ArchiveFile, why: string, remedy: string): Unreadable {
  return new Unreadable(
    `The archive file '${name}' ${why}. It holds the ${runs} runs of this organization from number ${firstSeq} on. ${remedy}, then repeat the call.`,
  );
}
