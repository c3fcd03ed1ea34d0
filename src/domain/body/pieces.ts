/** A body, piece by piece. */
export interface Pieces {
  /** The next bytes: as many as this, or fewer if the body ends or its pieces are not gathered. Null at the end. */
  readonly next: (bytes: number) => Promise<Uint8Array | null>;
  readonly cancel: () => Promise<void>;
}

/**
 * A client may send one byte at a time. Read separately, each would be in its own buffer, which is thousands of times
 * larger. So the runtime gathers them, and what it returns is copied at once.
 */
export function piecesOf(body: ReadableStream<Uint8Array>): Pieces {
  const reader = gathering(body);
  if (reader === null) return madePieces(body.getReader());
  return {
    async next(bytes) {
      const { value } = await reader.readAtLeast(bytes, new Uint8Array(bytes));
      return value === undefined || value.byteLength === 0 ? null : value;
    },
    cancel: () => reader.cancel(),
  };
}

/** The reader of Workers. The standard reader, whose type it has elsewhere, does not have this method. */
interface GatheringReader {
  readAtLeast(least: number, into: Uint8Array): Promise<{ readonly value?: Uint8Array }>;
  cancel(): Promise<void>;
}

/** Null if the body was made here, not received, or the runtime gathers nothing. */
function gathering(body: ReadableStream<Uint8Array>): GatheringReader | null {
  let reader: Pick<ReadableStreamBYOBReader, "releaseLock">;
  try {
    reader = body.getReader({ mode: "byob" });
  } catch {
    return null;
  }
  if ("readAtLeast" in reader) return reader as unknown as GatheringReader;
  reader.releaseLock();
  return null;
}

function madePieces(reader: ReadableStreamDefaultReader<Uint8Array>): Pieces {
  return { next: async () => (await reader.read()).value ?? null, cancel: () => reader.cancel() };
}
