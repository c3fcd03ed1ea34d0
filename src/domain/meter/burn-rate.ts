/** A limit in one window, in units of the limit. */
export interface MeterProgress {
  readonly used: bigint;
  readonly room: bigint;
  /** Since when it counts. */
  readonly startMs: number;
  /** Null if it never resets. */
  readonly endMs: number | null;
}

/** A pace over less than this says little: the first run of a day would empty every limit. */
const LEAST_MS = 3_600_000;
/** Later than this is not foreseeable. */
const MOST_MS = 400 * 86_400_000;

/**
 * When a limit is used up if its window goes on as it went so far. Null if nothing was used, or if the window ends before.
 * A limit without room is used up now.
 */
export function runsOutAt({ used, room, startMs, endMs }: MeterProgress, nowMs: number): number | null {
  if (room <= 0n) return nowMs;
  if (used <= 0n) return null;
  const elapsedMs = Math.max(nowMs - startMs, LEAST_MS);
  const leftMs = (Number(room) / Number(used)) * elapsedMs;
  if (leftMs > MOST_MS) return null;
  const atMs = Math.ceil(nowMs + leftMs);
  return endMs !== null && atMs >= endMs ? null : atMs;
}
