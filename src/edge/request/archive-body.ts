import { type ArchiveProblem, FrameReader, type ReadFrame } from "../../domain/archive/frames.ts";
import type { Peppers } from "../../domain/key/peppers.ts";
import { piecesOf } from "../../domain/body/pieces.ts";
import { sizeOfPiece } from "../../domain/body/read.ts";
import { timedPieces } from "../../domain/body/timed.ts";
import { BODY_BOUNDS } from "./read-bounded.ts";

/** An archive may be of any size, and is stored as it comes. */
const ARCHIVE_BOUNDS = { ...BODY_BOUNDS, deadlineMs: 3_600_000 } as const;

/** For each problem of an archive, what is wrong and what to do. */
export const ARCHIVE_PROBLEMS: Readonly<Record<ArchiveProblem, string>> = {
  no_archive: "is not a backup of this service: send the file as it was downloaded",
  other_version: "was made by another version of this service: import it with that version, and upgrade then",
  other_signature: "was changed, or was made where SVC_KEY_PEPPER is another one",
  truncated: "ends too early: download the backup again",
  more_after_end: "goes on after its end: send the file as it was downloaded",
};

/** The verified frames of an archive as it arrives, at most one piece of it at a time. Throws `UnreadBody`. */
export async function* archiveFrames(
  body: ReadableStream<Uint8Array> | null,
  peppers: Peppers,
): AsyncGenerator<ReadFrame | ArchiveProblem> {
  const frames = new FrameReader(...peppers);
  const pieces = body === null ? null : piecesOf(body);
  try {
    for await (const piece of pieces === null ? [] : timedPieces(pieces, sizeOfPiece, ARCHIVE_BOUNDS)) {
      const read = frames.push(piece);
      if (typeof read === "string") {
        yield read;
        return;
      }
      yield* read;
    }
    const problem = frames.end();
    if (problem !== null) yield problem;
  } finally {
    void pieces?.cancel().catch(() => undefined);
  }
}
