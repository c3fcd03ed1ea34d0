import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * The bytes of an org's archive: a line that says what it is, then frames. Each frame carries a signature of itself, its
 * place and every frame before it, and the last one says so. So nothing can be changed, left out, repeated or cut off.
 *
 * `<length, 4 bytes><1 if it is the last, 1 byte><content><signature, 32 bytes>`
 */

const NAME = "sluice-backup-";
const VERSION = "1";
const MAGIC = Buffer.from(`${NAME}${VERSION}\n`);
const HEAD_BYTES = 5;
const SIGNATURE_BYTES = 32;
/** The largest content of a frame. */
export const MOST_FRAME_BYTES = 1_048_576;

export type ArchiveProblem =
  | "no_archive"
  | "other_version"
  | "other_signature"
  | "truncated"
  | "more_after_end";

function keyOf(pepper: string): Buffer {
  return createHmac("sha256", pepper).update("sluice backup").digest();
}

interface SignedFrame {
  readonly before: Uint8Array;
  readonly index: number;
  readonly isLast: boolean;
  readonly content: Uint8Array;
}

function signatureOf(key: Buffer, { before, index, isLast, content }: SignedFrame): Buffer {
  const place = Buffer.alloc(HEAD_BYTES);
  place.writeUInt32BE(index);
  place.writeUInt8(isLast ? 1 : 0, 4);
  return createHmac("sha256", key).update(before).update(place).update(content).digest();
}

/** Writes an archive, frame by frame. */
export class FrameWriter {
  readonly #key: Buffer;
  #before: Buffer;
  #index = 0;

  constructor(pepper: string) {
    this.#key = keyOf(pepper);
    this.#before = createHmac("sha256", this.#key).update(MAGIC).digest();
  }

  /** The first frame begins with the line that says what the archive is. */
  write(content: Uint8Array, isLast: boolean): Buffer {
    const index = this.#index;
    const signature = signatureOf(this.#key, { before: this.#before, index, isLast, content });
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32BE(content.byteLength);
    head.writeUInt8(isLast ? 1 : 0, 4);
    this.#index += 1;
    this.#before = signature;
    return Buffer.concat([...(index === 0 ? [MAGIC] : []), head, content, signature]);
  }
}

/** Content of any length, in as many frames as it needs. */
export function* framesOf(writer: FrameWriter, content: Uint8Array, isLast: boolean): Generator<Buffer> {
  for (let at = 0; at === 0 || at < content.byteLength; at += MOST_FRAME_BYTES) {
    const end = at + MOST_FRAME_BYTES;
    yield writer.write(content.subarray(at, end), isLast && end >= content.byteLength);
  }
}

export interface ReadFrame {
  readonly content: Buffer;
  readonly isLast: boolean;
}

/** Reads what a writer wrote, however the bytes arrive. It never holds more than a frame and one arrival. */
export class FrameReader {
  readonly #peppers: readonly string[];
  #key: Buffer = Buffer.alloc(0);
  #before: Buffer = Buffer.alloc(0);
  #index = 0;
  #pending: Buffer = Buffer.alloc(0);
  #isBegun = false;
  #isEnded = false;

  /** The first frame tells which of the peppers the archive was signed with. */
  constructor(...peppers: readonly string[]) {
    this.#peppers = peppers;
  }

  /** The frames that are complete now, or what is wrong. */
  push(bytes: Uint8Array): ReadFrame[] | ArchiveProblem {
    this.#pending =
      this.#pending.byteLength === 0 ? Buffer.from(bytes) : Buffer.concat([this.#pending, bytes]);
    if (!this.#isBegun) {
      const problem = this.#begin();
      if (problem !== null) return problem;
    }
    const frames: ReadFrame[] = [];
    while (this.#isBegun && this.#pending.byteLength > 0) {
      if (this.#isEnded) return "more_after_end";
      const frame = this.#next();
      if (frame === null) break;
      if (typeof frame === "string") return frame;
      frames.push(frame);
    }
    return frames;
  }

  /** After the last byte. */
  end(): ArchiveProblem | null {
    if (this.#isEnded) return null;
    if (!this.#isBegun && !MAGIC.subarray(0, this.#pending.byteLength).equals(this.#pending))
      return "no_archive";
    return this.#isBegun || this.#pending.byteLength > 0 ? "truncated" : "no_archive";
  }

  #begin(): ArchiveProblem | null {
    const { byteLength } = this.#pending;
    const shared = Math.min(byteLength, NAME.length);
    if (this.#pending.subarray(0, shared).toString("latin1") !== NAME.slice(0, shared)) return "no_archive";
    if (byteLength < MAGIC.byteLength) return null;
    if (!this.#pending.subarray(0, MAGIC.byteLength).equals(MAGIC)) return "other_version";
    this.#pending = this.#pending.subarray(MAGIC.byteLength);
    this.#isBegun = true;
    return null;
  }

  /** Null if it has not arrived completely. */
  #next(): ReadFrame | ArchiveProblem | null {
    if (this.#pending.byteLength < HEAD_BYTES) return null;
    const length = this.#pending.readUInt32BE(0);
    // No frame of ours is longer, so the length itself was changed.
    if (length > MOST_FRAME_BYTES) return "other_signature";
    const end = HEAD_BYTES + length + SIGNATURE_BYTES;
    if (this.#pending.byteLength < end) return null;
    const isLast = this.#pending.readUInt8(4) === 1;
    const content = Buffer.from(this.#pending.subarray(HEAD_BYTES, HEAD_BYTES + length));
    const given = this.#pending.subarray(HEAD_BYTES + length, end);
    if (this.#index === 0) this.#choose(given, { isLast, content });
    const expected = signatureOf(this.#key, { before: this.#before, index: this.#index, isLast, content });
    if (!timingSafeEqual(given, expected)) return "other_signature";
    this.#pending = Buffer.from(this.#pending.subarray(end));
    this.#before = expected;
    this.#index += 1;
    this.#isEnded = isLast;
    return { content, isLast };
  }

  #choose(given: Buffer, first: Pick<SignedFrame, "isLast" | "content">): void {
    for (const pepper of this.#peppers) {
      this.#key = keyOf(pepper);
      this.#before = createHmac("sha256", this.#key).update(MAGIC).digest();
      const expected = signatureOf(this.#key, { ...first, before: this.#before, index: 0 });
      if (timingSafeEqual(given, expected)) return;
    }
  }
}
