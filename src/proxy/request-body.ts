import type { WireRefusal } from "../providers/wire-refusal.ts";

export interface BodyBounds {
  readonly mostBytes: number;
  readonly timeoutMs: number;
  /** All bodies that are in memory at once. */
  readonly memory: BodyMemory;
  /** Resolves once the caller has proven its key, and rejects otherwise. Called before more than a little is read. */
  readonly prove: () => Promise<void>;
}

/** The bytes that are read before the caller is known. */
const UNPROVEN_BYTES = 65_536;

/** Bytes of bodies that are in memory, in all calls together. */
export class BodyMemory {
  readonly #most: number;
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  take(bytes: number): boolean {
    if (this.#bytes + bytes > this.#most) return false;
    this.#bytes += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** A body that was read whole. */
export interface HeldBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Gives its memory back. */
  release(): void;
}

/**
 * The whole body, within its bounds. Rejects with what `prove` rejects with. An upload that breaks off, or takes too long, is
 * refused like any other body that cannot be read.
 */
export async function readWithin(request: Request, bounds: BodyBounds): Promise<HeldBody | WireRefusal> {
  const { mostBytes, memory } = bounds;
  const { body } = request;
  if (Number(request.headers.get("content-length") ?? 0) > mostBytes) return tooLarge(mostBytes);
  if (body === null) return { bytes: new Uint8Array(), release: () => undefined };
  const chunks: Uint8Array[] = [];
  let held = 0;
  const release = () => {
    memory.give(held);
    held = 0;
  };
  const keep = async (chunk: Uint8Array): Promise<WireRefusal | null> => {
    const bytes = held + chunk.byteLength;
    if (bytes > mostBytes) return tooLarge(mostBytes);
    if (bytes > UNPROVEN_BYTES) await bounds.prove();
    if (!memory.take(chunk.byteLength)) return busy();
    held = bytes;
    chunks.push(chunk);
    return null;
  };
  try {
    const problem = await readAll((body as ReadableStream<Uint8Array>).getReader(), keep, bounds.timeoutMs);
    if (problem === null) return { bytes: joined(chunks, held), release };
    release();
    return problem;
  } catch (error) {
    release();
    throw error;
  }
}

async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  keep: (chunk: Uint8Array) => Promise<WireRefusal | null>,
  timeoutMs: number,
): Promise<WireRefusal | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<"late">((resolve) => (timer = setTimeout(() => resolve("late"), timeoutMs)));
  try {
    for (;;) {
      const read = await Promise.race([reader.read().catch(() => "broken" as const), late]);
      if (read === "broken") return brokenOff("The body was broken off before its end.");
      if (read === "late") {
        void reader.cancel().catch(() => undefined);
        return brokenOff("The body took too long to arrive.");
      }
      if (read.done) return null;
      const problem = await keep(read.value);
      if (problem !== null) {
        void reader.cancel().catch(() => undefined);
        return problem;
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

function joined(chunks: readonly Uint8Array[], bytes: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

function tooLarge(mostBytes: number): WireRefusal {
  const message = `The body is larger than ${mostBytes} bytes, which is the most that this proxy takes.`;
  return { status: 413, code: "payload_too_large", message, details: {} };
}

function brokenOff(message: string): WireRefusal {
  return { status: 400, code: "bad_request", message, details: {} };
}

function busy(): WireRefusal {
  const message = "This proxy holds as many bodies as it has memory for. Try again in a moment.";
  return { status: 503, code: "service_unavailable", message, details: {}, retryAfterMs: 1000 };
}
