import { createHash } from "node:crypto";
import { Unreadable } from "../needs-fetch.ts";
import { type ArchiveFailure, archiveOf, type FailedFile } from "./archive-binding.ts";
import { DIGEST_BYTES } from "./file-metadata.ts";
import type { SegmentPlace } from "./layout.ts";
import type { ArchivedFile, SegmentMetadata } from "./metadata.ts";

type FetchedBytes = Uint8Array<ArrayBuffer> | Unreadable;

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
): Promise<ReadonlyMap<number, FetchedBytes>> {
  const found = new Map<number, FetchedBytes>();
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

async function fetchPiece(of: SegmentPlace, { file, offset, length }: Piece): Promise<FetchedBytes> {
  const failed = (reason: ArchiveFailure, why: string) => unreadable(of, file, { reason, why });
  const { bucket } = archiveOf(of.sql);
  if (bucket === null) return failed("no_bucket", "No bucket is bound as ARCHIVE: bind it");
  try {
    const found = await bucket.get(file.name, { range: { offset, length } });
    if (found === null) return failed("missing", `It is missing: ${PUT_BACK}`);
    if (found.size !== file.bytes)
      return failed("wrong_size", `It has ${found.size} bytes instead of ${file.bytes}: ${PUT_BACK}`);
    return new Uint8Array(await found.arrayBuffer());
  } catch (error) {
    if (String(error).includes(OUT_OF_RANGE)) return failed("wrong_size", `It is too short: ${PUT_BACK}`);
    return failed("unavailable", `The bucket does not answer (${String(error)}): wait a moment`);
  }
}

/** A segment of a piece that begins at an offset of the file. */
function cut(
  of: SegmentPlace,
  read: FetchedBytes | undefined,
  segment: SegmentMetadata,
  from: number,
): FetchedBytes {
  const { place } = segment;
  if (read === undefined || place === undefined) throw new Error("only archived segments are fetched");
  if (read instanceof Unreadable) return read;
  const start = place.offset - from;
  const data = read.slice(start, start + segment.bytes);
  if (Buffer.compare(digestOf(data), place.digest) === 0) return data;
  return unreadable(of, place.file, { reason: "damaged", why: `It is damaged: ${PUT_BACK}` });
}

/** How R2 says that a file ends before what is asked for. */
const OUT_OF_RANGE = "(10039)";
const PUT_BACK = "put the original file back";

/** Whoever runs the service is told of the file. Whoever called can only try again, and is told no more than that. */
function unreadable(
  { sql, title }: SegmentPlace,
  { name, firstSeq, rows }: ArchivedFile,
  { reason, why }: Omit<FailedFile, "file">,
): Unreadable {
  archiveOf(sql).failed?.({ reason, file: name, why });
  return new Unreadable(
    `Archived ${title} cannot be read now: ${rows}, from number ${firstSeq} on. Whoever runs the service has been told. Try again later.`,
    `The archive file '${name}' cannot be read. ${why}, then repeat the call.`,
  );
}
