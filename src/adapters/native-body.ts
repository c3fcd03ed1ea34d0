import type { BodyObserver, ObservedBody } from "./body-observer.ts";

/** The first look at the copy, and the least and the most time between two. */
const FIRST_LOOK_MS = 100;
const LEAST_LAG_MS = 10;
export const MOST_LAG_MS = 1000;
/** A read that does not fill its view has emptied the copy. Most streams need no more than the first view. */
const FIRST_VIEW_BYTES = 4096;
/** Each view that was filled is followed by a larger one, so that a look catches up with any speed. */
const VIEW_GROWTH = 8;
const MOST_VIEW_BYTES = FIRST_VIEW_BYTES * VIEW_GROWTH ** 2;
/** Much has passed since the last look. */
const MUCH_BYTES = 32_768;
/** What is there already is read in less than that. */
const AT_ONCE_MS = 10;

/** How the way to the reader ended. `cut`: its source broke off, or its reader left. */
type Passed = "whole" | "cut";
/** How the copy ended. Null: it goes on. */
type Ended = "end" | "error" | null;

interface Read {
  readonly ended: Ended;
  readonly bytes: number;
  /** Whether there was as much as it could take. There may be more. */
  readonly isFull: boolean;
}

/** Whether the runtime passes bodies on by itself, as Workers do. */
export function isNativeRuntime(): boolean {
  return typeof IdentityTransformStream === "function";
}

/**
 * The same bytes, passed on by the runtime. JavaScript wakes for a look now and then and at the end, not for each piece, and
 * looks at a copy. The runtime reads the source only as fast as the reader takes it, also for the copy, so the copy holds
 * at most what the reader took since the last look: looks are soon after each other while much passes.
 */
export function observedNatively(
  body: ReadableStream<Uint8Array>,
  observer: BodyObserver,
  isReadToEnd: boolean,
): ObservedBody {
  // Of a piece, the first branch may hold the whole block that it was read into. The second, which waits, holds its bytes.
  const [passing, copied] = body.tee();
  const { readable, writable } = new IdentityTransformStream();
  const copy = new Copy(copied, observer);
  void pass(passing, writable, copy);
  const followed = copy.follow(isReadToEnd);
  return {
    readable,
    leave: async () => {
      copy.over("cut");
      await followed;
    },
  };
}

/** When the reader has left, the next write fails. That ends the pipe, and the source too, unless its copy is still read. */
async function pass(
  passing: ReadableStream<Uint8Array>,
  writable: WritableStream<Uint8Array>,
  copy: Copy,
): Promise<void> {
  try {
    await passing.pipeTo(writable);
    copy.over("whole");
  } catch {
    copy.over("cut");
  }
}

class Copy {
  readonly #copied: ReadableStream<Uint8Array>;
  readonly #observer: BodyObserver;
  readonly #way = Promise.withResolvers<Passed>();
  #reader: ReadableStreamBYOBReader | null = null;
  #view: Uint8Array<ArrayBuffer> | null = null;
  #reading: Promise<Read> | null = null;
  #error: unknown;

  constructor(copied: ReadableStream<Uint8Array>, observer: BodyObserver) {
    this.#copied = copied;
    this.#observer = observer;
  }

  /** Only the first call counts. */
  over(passed: Passed): void {
    this.#way.resolve(passed);
  }

  async follow(isReadToEnd: boolean): Promise<void> {
    const way = this.#way.promise;
    let ended: Ended = null;
    for (let lagMs = FIRST_LOOK_MS; ended === null;) {
      if ((await within(lagMs, way)) !== undefined) break;
      const look = await Promise.race([this.#look(), way]);
      if (typeof look === "string") break;
      ended = look.ended;
      lagMs = look.bytes > MUCH_BYTES ? Math.max(LEAST_LAG_MS, lagMs / 2) : Math.min(MOST_LAG_MS, lagMs * 2);
    }
    if (ended === null) {
      const passed = await way;
      ended =
        passed === "whole" && this.#reader === null
          ? await this.#all()
          : await this.#rest(passed, isReadToEnd);
    }
    if (ended === "end") this.#observer.end();
    else if (ended === "error") this.#observer.error(this.#error);
    else this.#leave();
  }

  /** The copy is complete and was never read: the runtime returns all of it at once. */
  async #all(): Promise<Ended> {
    try {
      this.#observer.chunk(new Uint8Array(await new Response(this.#copied).arrayBuffer()));
      return "end";
    } catch (error) {
      this.#error = error;
      return "error";
    }
  }

  /** A source that broke off says so at once when all that came is read. Null: it goes on, so its reader left. */
  async #rest(passed: Passed, isReadToEnd: boolean): Promise<Ended> {
    for (let isEmptied = false; ;) {
      const isWaitedFor = passed === "whole" || isReadToEnd;
      // One that began earlier may be without the last pieces.
      const isLast = passed === "whole" && this.#reading === null;
      const read = isWaitedFor ? await this.#read() : await within(AT_ONCE_MS, this.#read());
      if (read === undefined) return null;
      if (read.ended !== null) return read.ended;
      if (isEmptied && !isWaitedFor) return null;
      isEmptied = !read.isFull;
      if (isEmptied && isLast) return "end";
    }
  }

  /** The copy may end only when the pipe does, at the next piece. Nobody waits for that. */
  #leave(): void {
    this.#observer.cancel(undefined);
    void this.#reader?.cancel().catch(() => undefined);
  }

  /** Waits for a piece if there is none, and reads all that is there. */
  async #look(): Promise<Read> {
    for (let bytes = 0; ;) {
      const read = await this.#read();
      bytes += read.bytes;
      if (read.ended !== null || !read.isFull) return { ...read, bytes };
    }
  }

  /** One read at a time: one that has not come yet is waited for by whoever reads next. */
  #read(): Promise<Read> {
    this.#reading ??= this.#next().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #next(): Promise<Read> {
    try {
      const view = this.#view ?? new Uint8Array(FIRST_VIEW_BYTES);
      this.#reader ??= this.#copied.getReader({ mode: "byob" });
      const { done, value } = await this.#reader.read(view);
      if (value === undefined || done) return { ended: "end", bytes: 0, isFull: false };
      this.#observer.chunk(value);
      const bytes = value.byteLength;
      const isFull = bytes === value.buffer.byteLength;
      const isTooSmall = isFull && bytes < MOST_VIEW_BYTES;
      this.#view = isTooSmall ? new Uint8Array(bytes * VIEW_GROWTH) : new Uint8Array(value.buffer);
      return { ended: null, bytes, isFull };
    } catch (error) {
      this.#error = error;
      return { ended: "error", bytes: 0, isFull: false };
    }
  }
}

/** Undefined: it has not come in that time. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), ms)));
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
