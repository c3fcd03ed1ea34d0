import { type Refusal, refuse } from "../contract/refusal.ts";

/** The body's end never came: its client broke the upload off, or the connection was lost. */
export class CutOff extends Error {
  override readonly name = "CutOff";
}

/** Mostly for the log: whoever breaks off seldom stays to read it. It is no failure of the service. */
export function refuseCutOff(): Refusal<"bad_request"> {
  return refuse(
    "bad_request",
    {},
    { message: "The body ended before all of it had arrived. Send it again." },
  );
}

/**
 * A client that is still sending when its connection is closed sees a reset and never the answer. So what is beyond the
 * limit is read and thrown away before the answer, up to so much and for so long.
 */
const DRAINED_BYTES = 16 * 1_048_576;
const DRAINED_MS = 2000;

/** The body of a request, whatever its declared length says; null: it is longer than `limitBytes`. */
export async function readBounded(request: Request, limitBytes: number): Promise<Uint8Array | null> {
  const { body } = request;
  if (body === null) return new Uint8Array(0);
  const header = request.headers.get("content-length");
  const declaredBytes = header === null ? null : Number(header);
  if (declaredBytes !== null && declaredBytes > limitBytes) {
    if (declaredBytes <= limitBytes + DRAINED_BYTES) await drain(body.getReader(), declaredBytes);
    return null;
  }
  try {
    if (declaredBytes === null) return await readChunks(body.getReader(), limitBytes);
    const bytes = new Uint8Array(await request.arrayBuffer());
    return bytes.byteLength > limitBytes ? null : bytes;
  } catch (error) {
    throw new CutOff(String(error), { cause: error });
  }
}

async function readChunks(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  limitBytes: number,
): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.byteLength;
    if (size > limitBytes) {
      await drain(reader, DRAINED_BYTES);
      return null;
    }
    chunks.push(next.value);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>, mostBytes: number): Promise<void> {
  await Promise.race([discard(reader, mostBytes), scheduler.wait(DRAINED_MS)]);
  // What is left, if anything, is given up; so is a client that has gone.
  await reader.cancel().catch(() => undefined);
}

async function discard(reader: ReadableStreamDefaultReader<Uint8Array>, mostBytes: number): Promise<void> {
  let size = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      size += next.value.byteLength;
      if (size > mostBytes) return;
    }
  } catch {
    // Nobody is left to send the rest.
  }
}
