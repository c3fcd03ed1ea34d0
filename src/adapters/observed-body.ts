/** Hears what becomes of a body on its way to whoever reads it. */
export interface BodyObserver {
  chunk(chunk: Uint8Array): void;
  end(): void;
  /** The source broke off. */
  error(error: unknown): void;
  /** The reader wants no more. */
  cancel(reason: unknown): void;
}

/**
 * The same bytes in the same chunks. The source is read only when the reader asks for more, so a slow reader slows the
 * source down, and nothing is stored on the way.
 */
export function observed(
  body: ReadableStream<Uint8Array>,
  observer: BodyObserver,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        let part: { done: boolean; value?: Uint8Array | undefined };
        try {
          part = await reader.read();
        } catch (error) {
          observer.error(error);
          throw error;
        }
        if (part.value !== undefined) {
          observer.chunk(part.value);
          controller.enqueue(part.value);
        }
        if (!part.done) return;
        observer.end();
        controller.close();
      },
      cancel(reason) {
        observer.cancel(reason);
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
