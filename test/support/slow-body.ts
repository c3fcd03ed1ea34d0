export interface SlowBody {
  readonly stream: ReadableStream<Uint8Array>;
  /** Resolves once the first half has been read and the reader waits for more. */
  readonly begun: Promise<void>;
  /** Sends the second half. */
  readonly finish: () => void;
}

/** A body that stops halfway until told to continue. */
export function slowBody(text: string): SlowBody {
  const begun = Promise.withResolvers<void>();
  const rest = Promise.withResolvers<void>();
  const bytes = new TextEncoder().encode(text);
  const half = Math.floor(bytes.length / 2);
  let pulls = 0;
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        pulls += 1;
        if (pulls === 1) {
          controller.enqueue(bytes.subarray(0, half));
          return;
        }
        begun.resolve();
        await rest.promise;
        controller.enqueue(bytes.subarray(half));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, begun: begun.promise, finish: rest.resolve };
}
