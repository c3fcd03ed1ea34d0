import type { PageWatch } from "../../../edge/support/page-watch.ts";
import { logFailure } from "../../../log.ts";

/**
 * How an open page hears of changes. The isolate asks the org's object, often while things happen and less while nothing
 * does. The object never waits for anyone, so an open page holds up neither a call nor an eviction.
 */
export const TIMING = { soonestMs: 2000, latestMs: 10_000, slower: 1.5, lifeMs: 10 * 60_000 };

/** How long a browser waits before it connects again. */
const RETRY_MS = 5000;

const encoder = new TextEncoder();

/** Server-sent events: `change` if anything happened, `over` if the session has ended or lost its access. */
export function changesOf(watching: PageWatch, firstMark: string, trace: string): ReadableStream<Uint8Array> {
  const endsAt = Date.now() + TIMING.lifeMs;
  let mark = firstMark;
  let waitMs = TIMING.soonestMs;
  let isOpen = true;
  const close = async () => {
    isOpen = false;
    await watching.end().catch((error: unknown) => logFailure(trace, error));
  };
  const step = async (): Promise<string | null> => {
    await scheduler.wait(waitMs);
    if (!isOpen || Date.now() >= endsAt) return null;
    const seen = await watching.look();
    if (seen === null) return "event: over\ndata: 1\n\n";
    const isSame = seen === mark;
    mark = seen;
    waitMs = isSame ? Math.min(waitMs * TIMING.slower, TIMING.latestMs) : TIMING.soonestMs;
    return isSame ? ":\n\n" : "event: change\ndata: 1\n\n";
  };
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`)),
    async pull(controller) {
      try {
        const text = await step();
        if (text !== null && isOpen) controller.enqueue(encoder.encode(text));
        if (text === null || text.startsWith("event: over")) await finish(controller);
      } catch (error) {
        logFailure(trace, error);
        await finish(controller);
      }
    },
    cancel: close,
  });

  async function finish(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    if (!isOpen) return;
    await close();
    controller.close();
  }
}
