import { digestPair } from "../../domain/key/peppers.ts";
import type { OrgSnapshot } from "../../gate/snapshot/snapshot.ts";
import type { View } from "../kernel/door.ts";
import { orgSnapshot } from "../snapshots/snapshot.ts";
import { isLiveSession, type SessionRow } from "./session.ts";

/** Tells a page of the console that is left open whether anything changed, and whether it may go on. */
export type WatchResult =
  | { readonly kind: "live"; readonly mark: string; readonly org: OrgSnapshot }
  | { readonly kind: "over" | "too_many" };

/** A browser has a few tabs open. More streams of one session are turned away. */
export const MOST_STREAMS = 4;
/** A stream that has not asked for so long is gone. */
const FORGOTTEN_MS = 60_000;
const MOST_REMEMBERED = 1000;

/**
 * Counts what happens to an org, for those who watch. It is kept in memory and writes nothing, and nobody waits here: they
 * ask again. A new life of the object begins with a new mark.
 */
export class Pulse {
  readonly #life = crypto.randomUUID();
  readonly #askedAt = new Map<string, { readonly session: string; at: number }>();
  #beats = 0;

  beat(): void {
    this.#beats += 1;
  }

  /** Asking does not count as using the session, so a page that is left open does not keep it alive. */
  watch(view: View, digest: string, stream: string): WatchResult {
    const row = view.sql
      .exec<SessionRow>("SELECT * FROM sessions WHERE digest IN (?, ?)", ...digestPair(digest))
      .toArray()[0];
    if (row === undefined || !isLiveSession(view, row)) return { kind: "over" };
    if (!this.#takes(row.id, stream, Date.now())) return { kind: "too_many" };
    return { kind: "live", mark: `${this.#life}:${this.#beats}`, org: orgSnapshot(view, view.profile()) };
  }

  #takes(session: string, stream: string, now: number): boolean {
    const known = this.#askedAt.get(stream);
    if (known !== undefined && known.session === session) {
      known.at = now;
      return true;
    }
    for (const [id, { at }] of this.#askedAt) if (at < now - FORGOTTEN_MS) this.#askedAt.delete(id);
    const own = [...this.#askedAt.values()].filter((one) => one.session === session).length;
    if (own >= MOST_STREAMS || this.#askedAt.size >= MOST_REMEMBERED) return false;
    this.#askedAt.set(stream, { session, at: now });
    return true;
  }

  /** A stream that has ended makes room for another at once. */
  forget(stream: string): void {
    this.#askedAt.delete(stream);
  }
}
