import { HOUR_MS, MINUTE_MS } from "../../contract/durations.ts";

/** How long a console session lives: at most twelve hours, and one hour without use. */
export const SESSION_MAX_MS = 12 * HOUR_MS;
export const SESSION_IDLE_MS = HOUR_MS;
/** How often the last use of a session is recorded, so that not every page view is a write. */
const NOTE_EVERY_MS = MINUTE_MS;

export interface SessionTimes {
  readonly createdAt: number;
  readonly lastSeenAt: number;
  readonly revokedAt: number | null;
}

/** When the session ends if it is not used again. */
export function sessionEnd(times: Omit<SessionTimes, "revokedAt">): number {
  return Math.min(times.createdAt + SESSION_MAX_MS, times.lastSeenAt + SESSION_IDLE_MS);
}

export function isLive(times: SessionTimes, now: number): boolean {
  return times.revokedAt === null && now < sessionEnd(times);
}

export function shouldNote(times: SessionTimes, now: number): boolean {
  return now - times.lastSeenAt >= NOTE_EVERY_MS;
}
