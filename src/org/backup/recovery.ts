import { invalidField, type Refusal, refuse } from "../../contract/refusal.ts";
import { logFailure } from "../../log.ts";

/** So that the answer leaves before the object ends. */
const RESTART_MS = 50;

/**
 * The platform's point-in-time recovery of one object. Where it is not offered, each of these throws: local workerd keeps
 * no history of an object's storage.
 */
export interface Recovery {
  /** Returns what the storage was at a time, as the platform names it. */
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

/** Makes the object's next life that of then, and begins it. */
export async function restoreTo(
  recovery: Recovery,
  ctx: Pick<DurableObjectState, "waitUntil">,
  atMs: number,
): Promise<Refusal<"service_unavailable"> | { undo: string }> {
  try {
    const undo = await recovery.restoreAtNextStart(await recovery.bookmarkAt(atMs));
    ctx.waitUntil(scheduler.wait(RESTART_MS).then(() => recovery.restart()));
    return { undo };
  } catch (error) {
    logFailure("restore", error);
    const message = "This platform keeps no history to restore from. Import a backup instead.";
    return refuse("service_unavailable", {}, { message });
  }
}

/** Before that, another region had the org, and nothing of it was here. */
export function refuseBefore(since: number): Refusal<"validation_failed"> {
  const came = new Date(since).toISOString();
  return invalidField(
    "at",
    "out_of_range",
    `must be after ${came}, when the organization came to this region`,
  );
}
