import { createHash } from "node:crypto";
import { Unreadable } from "../needs-fetch.ts";
import { type ArchiveFailure, archiveOf, type FailedFile } from "./archive-binding.ts";
import type { SegmentPlace } from "./layout.ts";
import type { ArchivedFile, ArchivedSegment } from "./metadata.ts";

type FetchedBytes = Uint8Array<ArrayBuffer> | Unreadable;

/** A file is read in pieces of at most this size, or one segment. */
const PIECE_BYTES = 4_194_304;
/** Requests at once. The platform allows six. */
const AT_ONCE = 4;

const DIGEST_CHARACTERS = 32;

export function digestOf(data: Uint8Array): string {
  return createHash("sha256").update(data).digest("hex").slice(0, DIGEST_CHARACTERS);
}

interface Piece {
  readonly file: ArchivedFile;
  readonly offset: number;
  readonly segments: ArchivedSegment[];
  length: number;
}

/** Reads archived segments, each as it was stored, or why it cannot be read. */
export async function fetchSegments(
  of: SegmentPlace,
  segments: readonly ArchivedSegment[],
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

function piecesOf(segments: readonly ArchivedSegment[]): Piece[] {
  const pieces: Piece[] = [];
  for (const segment of segments.toSorted((one, other) => one.firstSeq - other.firstSeq)) {
    const { file, offset } = segment;
    const last = pieces.at(-1);
    const isNext = last?.file.name === file.name && last.offset + last.length === offset;
    if (last !== undefined && isNext && last.length + segment.bytes <= PIECE_BYTES) {
      last.segments.push(segment);
      last.length += segment.bytes;
    } else {
      pieces.push({ file, offset, segments: [segment], length: segment.bytes });
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
    if (found.size !== file.bytes) return failed("wrong_size", wrongSize(found.size, file));
    return new Uint8Array(await found.arrayBuffer());
  } catch (error) {
    // A file that is too short fails, too.
    const size = await sizeOf(bucket, file);
    if (size !== null && size !== file.bytes) return failed("wrong_size", wrongSize(size, file));
    return failed("unavailable", `The bucket does not answer (${String(error)}): wait a moment`);
  }
}

function wrongSize(size: number, { bytes }: ArchivedFile): string {
  return `It has ${size} bytes instead of ${bytes}: ${PUT_BACK}`;
}

/** Null if the bucket does not say. */
async function sizeOf(bucket: R2Bucket, { name }: ArchivedFile): Promise<number | null> {
  try {
    const found = await bucket.head(name);
    return found?.size ?? null;
  } catch {
    return null;
  }
}

/** A segment of a piece that begins at an offset of the file. */
function cut(
  of: SegmentPlace,
  read: FetchedBytes | undefined,
  { file, offset, bytes, digest }: ArchivedSegment,
  from: number,
): FetchedBytes {
  if (read === undefined) throw new Error("only archived segments are fetched");
  if (read instanceof Unreadable) return read;
  const data = read.slice(offset - from, offset - from + bytes);
  if (digestOf(data) === digest) return data;
  return unreadable(of, file, { reason: "damaged", why: `It is damaged: ${PUT_BACK}` });
}

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
