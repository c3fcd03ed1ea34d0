/** How one call may differ from the client's own settings. */
export interface CallOptions {
  /** Ends the call, its retries included. */
  readonly signal?: AbortSignal | undefined;
  /** For operations that take one. Without it, each call gets a key of its own, so that its retries are safe. */
  readonly idempotencyKey?: string | undefined;
  /** Applies a change only if the resource still has this `ETag`. */
  readonly ifMatch?: string | undefined;
  /** The org to act on, where that is not the key's own. Operators have none of their own. */
  readonly org?: string | undefined;
  readonly maxRetries?: number | undefined;
  /** How long one attempt may take. A stream only has to begin in that time. */
  readonly timeoutMs?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export type ListOptions = CallOptions;

export interface WithResponse<T> {
  readonly data: T;
  readonly response: Response;
}

/** The return value of a call: a promise of the body. */
export interface Answer<T> extends Promise<T> {
  /** The body together with the response that it came in, for its headers. */
  withResponse(): Promise<WithResponse<T>>;
}

export interface Page<T> {
  readonly data: readonly T[];
  /** Null on the last page. */
  readonly next_cursor: string | null;
}

/** The return value of a list: awaited, it is the first page; iterated over, it is every entry of every page. */
export interface Pages<T> extends Answer<Page<T>>, AsyncIterable<T> {}

/** Sends a request; the cursor is that of a further page. */
export type Send<T> = (cursor?: string) => Promise<WithResponse<T>>;

export function answer<T>(send: Send<T>): Answer<T> {
  const sent = send();
  const data = sent.then((got) => got.data);
  return Object.assign(data, {
    withResponse() {
      // Whoever takes the response also takes its failure.
      data.catch(() => undefined);
      return sent;
    },
  });
}

export function pages<T>(send: Send<Page<T>>): Pages<T> {
  const first = answer(send);
  return Object.assign(first, {
    async *[Symbol.asyncIterator]() {
      for (let page: Page<T> = await first; ;) {
        yield* page.data;
        const { next_cursor: cursor } = page;
        if (cursor === null) return;
        page = (await send(cursor)).data;
      }
    },
  });
}
