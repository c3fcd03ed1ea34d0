import { type Refusal, refuse } from "../../contract/refusal.ts";

/** The body is incomplete: the client broke off the upload, or the connection was lost. */
export class CutOff extends Error {
  override readonly name = "CutOff";
}

/** Mostly for the log, because the client is usually gone. It is not a failure of the service. */
export function refuseCutOff(): Refusal<"bad_request"> {
  return refuse("bad_request", {}, { message: "The request body was cut off. Send the request again." });
}

/**
 * A client that is still sending when its connection is closed sees a reset instead of the response. So the excess is
 * read and discarded before the response, up to these bounds.
 */
const DRAINED_BYTES = 16 * 1_048_576;
const DRAINED_MS = 2000;

/** The number of bytes that are gathered before they are passed on. */
const PIECE_BYTES = 16_384;

/** The body of a request, regardless of its declared length. Null if it is longer than `limitBytes`. */
export async function readBounded(
  request: Request,
  limitBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const header = request.headers.get("content-length");
  const declaredBytes = header === null ? null : Number(header);
  try {
    // The body as a stream costs more than its bytes, so it is not asked for where it is not needed.
    if (declaredBytes !== null && declaredBytes <= limitBytes) {
      const bytes = new Uint8Array(await request.arrayBuffer());
      return bytes.byteLength > limitBytes ? null : bytes;
    }
    const { body } = request;
    if (body === null) return new Uint8Array(0);
    if (declaredBytes === null) return await readOrDrain(piecesOf(body), limitBytes);
    if (declaredBytes <= limitBytes + DRAINED_BYTES) await drain(piecesOf(body), declaredBytes);
    return null;
  } catch (error) {
    throw new CutOff(String(error), { cause: error });
  }
}

/** Reads a body that nobody needs, so that its client gets the response. */
export async function discardBody({ body }: Request): Promise<void> {
  if (body !== null) await drain(piecesOf(body), DRAINED_BYTES);
}

/**
 * A client may send one byte at a time. Read separately, each would be in its own buffer, which is thousands of times
 * larger. So the runtime gathers them, and what it returns is copied at once.
 */
interface Pieces {
  /** The next bytes. Null at the end. */
  readonly next: () => Promise<Uint8Array | null>;
  readonly cancel: () => Promise<void>;
}

function piecesOf(body: ReadableStream<Uint8Array>): Pieces {
  const reader = gathering(body);
  if (reader === null) return madePieces(body.getReader());
  return {
    async next() {
      const { value } = await reader.readAtLeast(PIECE_BYTES, new Uint8Array(PIECE_BYTES));
      return value === undefined || value.byteLength === 0 ? null : value;
    },
    cancel: () => reader.cancel(),
  };
}

/** The runtime's own reader. The standard reader, whose type it has elsewhere, does not have this method. */
interface BodyReader {
  readAtLeast(least: number, into: Uint8Array): Promise<{ readonly value?: Uint8Array }>;
  cancel(): Promise<void>;
}

/** Null if the body was made here, not received, and cannot be read this way. */
function gathering(body: ReadableStream<Uint8Array>): BodyReader | null {
  try {
    return body.getReader({ mode: "byob" }) as unknown as BodyReader;
  } catch {
    return null;
  }
}

function madePieces(reader: ReadableStreamDefaultReader<Uint8Array>): Pieces {
  return { next: async () => (await reader.read()).value ?? null, cancel: () => reader.cancel() };
}

/** All of a stream from someone else. Null if it is longer than `limitBytes`; then it is cancelled. */
export async function readStream(
  stream: ReadableStream<Uint8Array>,
  limitBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const pieces = piecesOf(stream);
  const bytes = await readPieces(pieces, limitBytes);
  if (bytes === null) await pieces.cancel().catch(() => undefined);
  return bytes;
}

async function readOrDrain(pieces: Pieces, limitBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const bytes = await readPieces(pieces, limitBytes);
  if (bytes === null) await drain(pieces, DRAINED_BYTES);
  return bytes;
}

async function readPieces(pieces: Pieces, limitBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  let bytes = new Uint8Array(Math.min(PIECE_BYTES, limitBytes));
  let size = 0;
  for (let piece = await pieces.next(); piece !== null; piece = await pieces.next()) {
    const end = size + piece.byteLength;
    if (end > limitBytes) return null;
    if (end > bytes.byteLength) {
      const larger = new Uint8Array(Math.min(limitBytes, Math.max(end, 2 * bytes.byteLength)));
      larger.set(bytes.subarray(0, size));
      bytes = larger;
    }
    bytes.set(piece, size);
    size = end;
  }
  return bytes.subarray(0, size);
}

async function drain(pieces: Pieces, mostBytes: number): Promise<void> {
  await Promise.race([discard(pieces, mostBytes), scheduler.wait(DRAINED_MS)]);
  // Ignore the rest, and a client that has disconnected.
  await pieces.cancel().catch(() => undefined);
}

async function discard(pieces: Pieces, mostBytes: number): Promise<void> {
  let size = 0;
  try {
    for (let piece = await pieces.next(); piece !== null; piece = await pieces.next()) {
      size += piece.byteLength;
      if (size > mostBytes) return;
    }
  } catch {
    // No one is left to send the rest.
  }
}
