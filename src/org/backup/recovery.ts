/**
 * The platform's point-in-time recovery of one object. Where it is not offered, each of these throws: local workerd keeps
 * no history of an object's storage.
 */
export interface Recovery {
  /** What the storage was at a time, as the platform names it. */
  bookmarkAt(atMs: number): Promise<string>;
  /** The storage becomes what it was there when the object starts next. Returns the way back. */
  restoreAtNextStart(bookmark: string): Promise<string>;
  /** Ends this life of the object. */
  restart(): void;
}

export function platformRecovery(ctx: DurableObjectState): Recovery {
  return {
    bookmarkAt: (atMs) => ctx.storage.getBookmarkForTime(atMs),
    restoreAtNextStart: (bookmark) => ctx.storage.onNextSessionRestoreBookmark(bookmark),
    restart: () => ctx.abort("restored to an earlier time"),
  };
}
