import type { BodyHold, BodyOwner } from "./body-memory.ts";
import { type Pieces, piecesOf } from "./pieces.ts";
import { inTime, type TimeBounds, timedPieces, UnreadBody } from "./timed.ts";

/** A body that says that it is no longer is read at once, which costs half of its pieces. */
export const SHORT_BYTES = 16_384;
const PIECE_BYTES = 32_768;

/**
 * A client that is still sending when its connection is closed sees a reset instead of the response. So the excess is
 * read and discarded before the response, up to these bounds.
 */
const DISCARDED_BYTES = 16 * 1_048_576;
const DISCARDED_MS = 2000;

export interface BodyBounds extends TimeBounds {
  readonly mostBytes: number;
  readonly hold: BodyHold;
  /** Called before more than `SHORT_BYTES` are read. Resolves to whom the body is held for, once that is proven. */
  readonly prove?: () => Promise<BodyOwner>;
}

/** The least that a body takes while its call is in flight. */
const LEAST_HELD_BYTES = 4096;

/** The memory that a body needs before any of it is read. */
export function firstBytes({ headers }: Pick<Request, "headers">): number {
  const declared = declaredBytes(headers);
  return declared === null || declared > SHORT_BYTES ? SHORT_BYTES : Math.max(LEAST_HELD_BYTES, declared);
}

/**
 * The whole body of a request, regardless of its declared length. Null if it is longer than it may be. Throws
 * `UnreadBody`, or what `prove` rejects with. The hold of a whole body is its caller's to release.
 */
export async function readWhole(
  request: Request,
  bounds: BodyBounds,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const { mostBytes } = bounds;
  const declared = declaredBytes(request.headers);
  if (declared !== null && declared <= Math.min(SHORT_BYTES, mostBytes)) {
    const bytes = new Uint8Array(await inTime(request.arrayBuffer(), declared, bounds));
    return bytes.byteLength > mostBytes ? null : bytes;
  }
  const body = request.body as ReadableStream<Uint8Array> | null;
  if (body === null) return new Uint8Array(0);
  const isTooLong = declared !== null && declared > mostBytes;
  if (isTooLong && declared > mostBytes + DISCARDED_BYTES) return null;
  const pieces = piecesOf(body);
  if (!isTooLong) return readPieces(pieces, declared ?? 0, bounds);
  bounds.hold.release();
  await discard(pieces, declared, bounds);
  return null;
}

/** Reads a body that nobody needs, so that its client gets the response. */
export async function discardBody({ body }: Request, bounds: Pick<TimeBounds, "timer">): Promise<void> {
  if (body !== null) await discard(piecesOf(body as ReadableStream<Uint8Array>), DISCARDED_BYTES, bounds);
}

function declaredBytes(headers: Headers): number | null {
  const text = headers.get("content-length");
  return text === null ? null : Number(text);
}

export const sizeOfPiece = (held: number): number => (held === 0 ? SHORT_BYTES : PIECE_BYTES);

async function readPieces(
  pieces: Pieces,
  declared: number,
  bounds: BodyBounds,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const { mostBytes, hold } = bounds;
  try {
    const arriving = timedPieces(pieces, sizeOfPiece, bounds);
    const bytes = await gathered(arriving, mostBytes, (held) => admit(held, declared, bounds));
    if (bytes !== null) return bytes;
  } catch (error) {
    hold.release();
    if (error instanceof UnreadBody && error.reason === "full")
      await discard(pieces, DISCARDED_BYTES, bounds);
    else void pieces.cancel().catch(() => undefined);
    throw error;
  }
  hold.release();
  await discard(pieces, DISCARDED_BYTES, bounds);
  return null;
}

/** All of a stream from someone else. Null if it is longer; then it is cancelled. Throws `UnreadBody`. */
export async function readStream(
  stream: ReadableStream<Uint8Array>,
  mostBytes: number,
  bounds: TimeBounds,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const pieces = piecesOf(stream);
  let bytes: Uint8Array<ArrayBuffer> | null = null;
  try {
    bytes = await gathered(timedPieces(pieces, sizeOfPiece, bounds), mostBytes, async () => undefined);
    return bytes;
  } finally {
    if (bytes === null) void pieces.cancel().catch(() => undefined);
  }
}

/** Null if there are more. */
async function gathered(
  pieces: AsyncIterable<Uint8Array>,
  mostBytes: number,
  admitTo: (bytes: number) => Promise<void>,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.byteLength;
    if (bytes > mostBytes) return null;
    await admitTo(bytes);
    kept.push(piece);
  }
  return joined(kept, bytes);
}

/** A long body takes all that it says it needs, so that of many at once some are read to their end. */
async function admit(bytes: number, declared: number, { hold, prove }: BodyBounds): Promise<void> {
  const isLong = bytes > SHORT_BYTES;
  if (isLong && prove !== undefined && !hold.moveTo(await prove())) throw new UnreadBody("full");
  if (!hold.growTo(isLong ? Math.max(bytes, declared) : bytes)) throw new UnreadBody("full");
}

function joined(pieces: readonly Uint8Array[], bytes: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

async function discard(
  pieces: Pieces,
  mostBytes: number,
  { timer }: Pick<TimeBounds, "timer">,
): Promise<void> {
  let stop: (() => void) | undefined;
  const isOver = new Promise<void>((resolve) => {
    stop = timer.after(DISCARDED_MS, resolve);
  });
  await Promise.race([readAway(pieces, mostBytes), isOver]);
  stop?.();
  // Ignore the rest, and a client that has disconnected.
  void pieces.cancel().catch(() => undefined);
}

async function readAway(pieces: Pieces, mostBytes: number): Promise<void> {
  let bytes = 0;
  try {
    for (let piece = await pieces.next(SHORT_BYTES); piece !== null; piece = await pieces.next(SHORT_BYTES)) {
      bytes += piece.byteLength;
      if (bytes > mostBytes) return;
    }
  } catch {
    // No one is left to send the rest.
  }
}
