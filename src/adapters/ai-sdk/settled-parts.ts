import { CountedText } from "../../providers/usage/counted-text.ts";
import type { Reading } from "../../providers/usage/reading.ts";
import type { GovernedCall } from "../governed-call.ts";
import type { LeavePolicy } from "../settled-body.ts";
import { readingOf, type ReportedUsage, usageOf } from "./reported-usage.ts";

export interface StreamPart {
  readonly type: string;
}

export interface SettledParts<P> {
  readonly stream: ReadableStream<P>;
  /** For a caller that aborts: its next read fails with this. */
  leave(error: unknown): void;
}

/** The parts of a stream, whose end settles the call. A reader that goes away does not end it: the rest is read for a while. */
export function settledParts<P extends StreamPart>(
  source: ReadableStream<P>,
  call: GovernedCall,
  { leave: policy, stop }: { readonly leave: LeavePolicy; readonly stop: (reason: unknown) => void },
): SettledParts<P> {
  const parts = new Parts<P>(source, call);
  const leave = async (): Promise<void> => {
    if (parts.isLeft) return;
    parts.isLeft = true;
    const end = () => {
      call.cancel(parts.reading);
      stop(new Error("the caller has left"));
    };
    const timer = policy.readsToEnd ? undefined : setTimeout(end, policy.graceMs);
    try {
      while (!call.hasEnded && (await parts.next()) !== null);
    } catch {
      // The call was settled when the stream failed.
    } finally {
      clearTimeout(timer);
    }
  };
  let fail: (error: unknown) => void = ignore;
  const stream = new ReadableStream<P>(
    {
      start: (controller) => {
        fail = (error) => controller.error(error);
      },
      async pull(controller) {
        const part = await parts.next();
        if (part === null) controller.close();
        else controller.enqueue(part);
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  );
  return {
    stream,
    leave: (error) => {
      fail(error);
      void leave();
    },
  };
}

/** The fields that are read of a part: the model's text, and the usage at the end. */
interface PartMembers {
  readonly delta?: unknown;
  readonly toolName?: unknown;
  /** Of a whole call of a tool. */
  readonly input?: unknown;
  readonly usage?: ReportedUsage;
}

class Parts<P extends StreamPart> {
  readonly #source: ReadableStreamDefaultReader<P>;
  readonly #call: GovernedCall;
  readonly #counted = new CountedText();
  #usage: ReportedUsage | null = null;
  #hasUncounted = false;
  #hasFailed = false;
  #reading: Promise<P | null> | null = null;
  /** True if the reader has gone away. */
  isLeft = false;

  constructor(source: ReadableStream<P>, call: GovernedCall) {
    this.#source = source.getReader();
    this.#call = call;
  }

  get reading(): Reading {
    const usage = this.#usage === null ? null : usageOf(this.#usage);
    const hasFailed = this.#hasFailed;
    return {
      ...readingOf(usage),
      isStream: true,
      countedOutput: this.#counted.tokens,
      hasUncounted: this.#hasUncounted,
      hasFailed,
    };
  }

  /** One read at a time. Null: there is no more. */
  next(): Promise<P | null> {
    this.#reading ??= this.#read().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #read(): Promise<P | null> {
    try {
      const { done, value } = await this.#source.read();
      if (done) {
        this.#call.finish(this.reading);
        return null;
      }
      const { delta, toolName, input, usage } = value as PartMembers;
      for (const text of [delta, toolName, input]) this.#counted.add(text);
      this.#hasUncounted ||= value.type === "file";
      this.#hasFailed ||= value.type === "error";
      if (value.type === "finish") this.#usage = usage ?? null;
      return value;
    } catch (error) {
      if (this.isLeft) this.#call.cancel(this.reading);
      else this.#call.breakOff(this.reading);
      throw error;
    }
  }
}

function ignore(): void {
  // There is no reader yet.
}
