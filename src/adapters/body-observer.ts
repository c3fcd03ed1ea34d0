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
