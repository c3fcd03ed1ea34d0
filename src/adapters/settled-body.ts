import type { AnswerReader } from "../providers/usage/reading.ts";
import type { GovernedCall } from "./governed-call.ts";

/** The treatment of an answer whose reader goes away before its end. */
export interface LeavePolicy {
  /** How long the rest of a stream is still read, to see its end and its usage. */
  readonly graceMs: number;
  /** True if a stream is read to its end, however long that takes. */
  readonly readsToEnd: boolean;
}

export const USUAL_LEAVE: LeavePolicy = { graceMs: 2000, readsToEnd: false };

/** Takes something out of a body on its way. */
export interface BodyFilter {
  /** Returns the bytes of a chunk that pass, with those that were held back before it. */
  shown(chunk: Uint8Array): Uint8Array;
  /** Returns the bytes that are still held back at the end. */
  rest(): Uint8Array;
}

export interface SettledBodyOptions {
  readonly call: GovernedCall;
  readonly reader: AnswerReader;
  readonly leave: LeavePolicy;
  /** Stops the provider. */
  readonly stop: (reason: unknown) => void;
  /** The part of the bytes that the reader gets. Default: all of them. */
  readonly filter?: BodyFilter | undefined;
  /** Hears of each chunk, and of the end. */
  readonly onChunk?: (() => void) | undefined;
  readonly onEnd?: (() => void) | undefined;
}

export interface SettledBody {
  readonly readable: ReadableStream<Uint8Array>;
  /** For a reader that goes away without cancelling. With an error, its next read fails with that. */
  leave(error?: unknown): Promise<void>;
}

/**
 * A provider's answer on its way to its reader: the same bytes, as fast as they are read, and nothing is stored. Whichever way
 * it ends, the call is settled by what passed. A reader that goes away does not end it: what was billed is only known at the end.
 */
export function settledBody(body: ReadableStream<Uint8Array>, options: SettledBodyOptions): SettledBody {
  const passage = new Passage(body, options);
  let fail: (error: unknown) => void = ignore;
  const readable = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        fail = (error) => controller.error(error);
      },
      pull: (controller) => passage.pull(controller),
      cancel: () => passage.leave(),
    },
    { highWaterMark: 0 },
  );
  const leave = (error?: unknown) => {
    if (error !== undefined) fail(error);
    return passage.leave();
  };
  return { readable, leave };
}

class Passage {
  readonly #options: SettledBodyOptions;
  readonly #source: ReadableStreamDefaultReader<Uint8Array>;
  #reading: Promise<Uint8Array | null> | null = null;
  #leaving: Promise<void> | null = null;

  constructor(body: ReadableStream<Uint8Array>, options: SettledBodyOptions) {
    this.#options = options;
    this.#source = body.getReader();
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const { filter } = this.#options;
    // The reader waits for a chunk. One of which nothing is shown is followed by the next.
    for (let isShown = false; !isShown;) {
      const chunk = await this.#next();
      const shown = chunk === null ? filter?.rest() : (filter?.shown(chunk) ?? chunk);
      isShown = shown !== undefined && shown.byteLength > 0;
      if (shown !== undefined && isShown) controller.enqueue(shown);
      if (chunk === null) {
        controller.close();
        return;
      }
    }
  }

  leave(): Promise<void> {
    this.#leaving ??= this.#readOn();
    return this.#leaving;
  }

  async #readOn(): Promise<void> {
    const { call, leave, reader, stop } = this.#options;
    if (!call.isMetered) this.#stop();
    const isBounded = reader.reading.isStream && !leave.readsToEnd;
    const endsAt = isBounded ? Date.now() + leave.graceMs : Number.POSITIVE_INFINITY;
    const timer = isBounded ? setTimeout(() => this.#stop(), leave.graceMs) : undefined;
    try {
      while (!call.hasEnded && !reader.reading.isDone && (await this.#next()) !== null) {
        // A provider that never pauses leaves a timer no time to go off.
        if (Date.now() >= endsAt) this.#stop();
      }
      if (!call.hasEnded) call.finish(reader.reading);
    } catch {
      // The call was settled when the body failed.
    } finally {
      clearTimeout(timer);
      stop(new Error("the caller has left"));
      this.#options.onEnd?.();
    }
  }

  #stop(): void {
    const { call, reader, stop, onEnd } = this.#options;
    call.cancel(reader.reading);
    onEnd?.();
    stop(new Error("the caller has left"));
    void this.#source.cancel().catch(() => undefined);
  }

  /** One read at a time: one that has not come yet is waited for by whoever reads next. Null: there is no more. */
  #next(): Promise<Uint8Array | null> {
    this.#reading ??= this.#read();
    return this.#reading;
  }

  async #read(): Promise<Uint8Array | null> {
    const { call, reader, onChunk, onEnd } = this.#options;
    try {
      const { done, value } = await this.#source.read();
      this.#reading = null;
      if (value !== undefined) {
        onChunk?.();
        reader.push(value);
      }
      if (!done) return value ?? new Uint8Array();
      onEnd?.();
      call.finish(reader.reading);
      return null;
    } catch (error) {
      this.#reading = null;
      onEnd?.();
      if (this.#leaving !== null) call.cancel(reader.reading);
      else call.breakOff(reader.reading);
      throw error;
    }
  }
}

function ignore(): void {
  // There is no reader yet.
}
