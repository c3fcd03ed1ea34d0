import { createHash } from "node:crypto";
import { Unreadable } from "../needs-fetch.ts";
import { archiveOf } from "./archive-binding.ts";
import { DIGEST_BYTES } from "./file-metadata.ts";
import type { SegmentPlace } from "./layout.ts";
import type { ArchivedFile, SegmentMetadata } from "./metadata.ts";

type Fetched = Uint8Array<ArrayBuffer> | Unreadable;

/** A file is read in pieces of at most this size, or one segment. */
const PIECE_BYTES = 4_194_304;
/** Requests at once. The platform allows six. */
const AT_ONCE = 4;

export function digestOf(data: Uint8Array): Uint8Array {
  return createHash("sha256").update(data).digest().subarray(0, DIGEST_BYTES);
}

interface Piece {
  readonly file: ArchivedFile;
  readonly offset: number;
  readonly segments: SegmentMetadata[];
  length: number;
}

/** Reads archived segments, each as it was stored, or why it cannot be read. */
export async function fetchSegments(
  of: SegmentPlace,
  segments: readonly SegmentMetadata[],
): Promise<ReadonlyMap<number, Fetched>> {
  const found = new Map<number, Fetched>();
  const pieces = piecesOf(segments);
  for (let from = 0; from < pieces.length; from += AT_ONCE) {
    const some = pieces.slice(from, from + AT_ONCE);
    const read = await Promise.all(some.map((piece) => fetchPiece(of, piece)));
    for (const [at, { segments: wanted, offset }] of some.entries()) {
      for (const segment of wanted) found.set(segment.firstSeq, cut(of, read[at], segment, offset));
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

async function fetchPiece(of: SegmentPlace, { file, offset, length }: Piece): Promise<Fetched> {
  const unreadable = (why: string, remedy = PUT_BACK) => new Unreadable(messageOf(of, file, why, remedy));
  const { bucket } = archiveOf(of.sql);
  if (bucket === null) return unreadable("cannot be read, because no bucket is bound as ARCHIVE", "Bind it");
  try {
    const found = await bucket.get(file.name, { range: { offset, length } });
    if (found === null) return unreadable("is missing");
    if (found.size !== file.bytes) return unreadable(`has ${found.size} bytes instead of ${file.bytes}`);
    return new Uint8Array(await found.arrayBuffer());
  } catch (error) {
    return unreadable(`cannot be read now (${String(error)})`, "Wait a moment");
  }
}

/** A segment of a piece that begins at an offset of the file. */
function cut(of: SegmentPlace, read: Fetched | undefined, segment: SegmentMetadata, from: number): Fetched {
  const { place } = segment;
  if (read === undefined || place === undefined) throw new Error("only archived segments are fetched");
  if (read instanceof Unreadable) return read;
  const start = place.offset - from;
  const data = read.slice(start, start + segment.bytes);
  if (Buffer.compare(digestOf(data), place.digest) === 0) return data;
  return new Unreadable(messageOf(of, place.file, "is damaged", PUT_BACK));
}

const PUT_BACK = "Put the original file back";

function messageOf(
  { title }: SegmentPlace,
  { name, firstSeq, rows }: ArchivedFile,
  why: string,
  remedy: string,
): string {
  return `The archive file '${name}' ${why}. It holds the ${rows} ${title} from number ${firstSeq} on. ${remedy}, then repeat the call.`;
}
