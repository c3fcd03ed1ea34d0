import type { BodyObserver, ObservedBody } from "./body-observer.ts";
import { isNativeRuntime, observedNatively } from "./native-body.ts";

export interface ObservedOptions {
  /** A source whose reader left is still read, to its end. */
  readonly isReadToEnd?: boolean;
  /** The source is the runtime's own, such as the body of an answer, and the observer has time after its reader's end. */
  readonly isNative?: boolean;
}

/** The same bytes, as fast as they are read. */
export function observed(
  body: ReadableStream<Uint8Array>,
  observer: BodyObserver,
  { isReadToEnd = false, isNative = false }: ObservedOptions = {},
): ObservedBody {
  const observe = isNative && isNativeRuntime() ? observedNatively : observedInScript;
  return observe(body, observer, isReadToEnd);
}

/** The same chunks. The source is read only when the reader asks for more, and nothing is stored on the way. */
function observedInScript(
  body: ReadableStream<Uint8Array>,
  observer: BodyObserver,
  isReadToEnd: boolean,
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
