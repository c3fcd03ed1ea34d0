import { type ArchiveProblem, FrameReader, type ReadFrame } from "../../domain/archive/frames.ts";
import type { Peppers } from "../../domain/key/peppers.ts";
import { CutOff } from "./read-bounded.ts";

/** For each problem of an archive, what is wrong and what to do. */
export const ARCHIVE_PROBLEMS: Readonly<Record<ArchiveProblem, string>> = {
  no_archive: "is not a backup of this service: send the file as it was downloaded",
  other_version: "was made by another version of this service: import it with that version, and upgrade then",
  other_signature: "was changed, or was made where SVC_KEY_PEPPER is another one",
  truncated: "ends too early: download the backup again",
  more_after_end: "goes on after its end: send the file as it was downloaded",
};

/** The verified frames of an archive as it arrives, at most one arrival of them at a time. */
export async function* archiveFrames(
  body: ReadableStream<Uint8Array> | null,
  peppers: Peppers,
): AsyncGenerator<ReadFrame | ArchiveProblem> {
  const frames = new FrameReader(...peppers);
  const reader = body?.getReader();
  try {
    for (;;) {
      const { done, value } = (await reader?.read().catch(broken)) ?? { done: true, value: undefined };
      if (done || value === undefined) break;
      const read = frames.push(value);
      if (typeof read === "string") {
        yield read;
        return;
      }
      yield* read;
    }
    const problem = frames.end();
    if (problem !== null) yield problem;
  } finally {
    await reader?.cancel().catch(() => undefined);
  }
}

function broken(error: unknown): never {
  throw new CutOff("the upload was broken off", { cause: error });
}
