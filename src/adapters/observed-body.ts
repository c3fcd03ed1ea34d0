/** Hears what becomes of a body on its way to whoever reads it. */
export interface BodyObserver {
  chunk(chunk: Uint8Array): void;
  end(): void;
  /** The source broke off. */
  error(error: unknown): void;
  /** The reader wants no more. */
  cancel(reason: unknown): void;
}

export interface ObservedBody {
  readonly readable: ReadableStream<Uint8Array>;
  /** For a reader that went away without saying so. */
  leave(reason?: unknown): Promise<void>;
}

/**
 * The same bytes in the same chunks. The source is read only when the reader asks for more, so a slow reader slows the
 * source down, and nothing is stored on the way. With `isReadToEnd`, a source whose reader left is still read, to its end.
 */
export function observed(
  body: ReadableStream<Uint8Array>,
  observer: BodyObserver,
  isReadToEnd = false,
): ObservedBody {
  const reader = body.getReader();
  let hasLeft = false;
  /** Null: there is no more. */
  const next = async (): Promise<Uint8Array | null> => {
    try {
      const { done, value } = await reader.read();
      if (value !== undefined) observer.chunk(value);
      if (done) observer.end();
      return value ?? null;
    } catch (error) {
      observer.error(error);
      throw error;
    }
  };
  const leave = async (reason: unknown): Promise<void> => {
    if (hasLeft) return;
    hasLeft = true;
    if (isReadToEnd) {
      while ((await next()) !== null);
      return;
    }
    observer.cancel(reason);
    await reader.cancel(reason);
  };
  const readable = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await next();
        if (chunk === null) controller.close();
        else controller.enqueue(chunk);
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  );
  return { readable, leave: (reason) => leave(reason).catch(() => undefined) };
}
