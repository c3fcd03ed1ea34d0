import type { Path } from "./paths.ts";
import { dateOfDay, type DayNumber } from "./series.ts";

/** A limit over the days of a path. `resets` are the indexes of days on which a new period begins. */
export type Allowance = { readonly limit: number; readonly left: number; readonly resets: readonly number[] };

export type Exhaustion = { readonly p50Date: string | null; readonly p90Date: string | null };

/** The index of the first day on which the path uses up the allowance, or infinity. */
function usedUpOn(path: Path, allowance: Allowance): number {
  let left = allowance.left;
  for (let index = 0; index < path.length; index += 1) {
    if (allowance.resets.includes(index)) left = allowance.limit;
    left -= path[index] ?? 0;
    if (left <= 0) return index;
  }
  return Infinity;
}

/**
 * `p50Date` is the day by which half of the simulated futures have used up the allowance. `p90Date` is the day for high
 * usage, by which a tenth of them have, so it is never later. Null if not within these days.
 */
export function exhaustionOf(paths: readonly Path[], firstDay: DayNumber, allowance: Allowance): Exhaustion {
  const days = Float64Array.from(paths, (path) => usedUpOn(path, allowance)).sort();
  const dateAt = (share: number): string | null => {
    const index = days[Math.ceil(days.length * share) - 1] ?? Infinity;
    return Number.isFinite(index) ? dateOfDay(firstDay + index) : null;
  };
  return { p50Date: dateAt(0.5), p90Date: dateAt(0.1) };
}

/** The path if no allowance may be exceeded: what does not fit is refused. */
export function capPath(path: Path, allowances: readonly Allowance[]): Path {
  const left = allowances.map((allowance) => Math.max(0, allowance.left));
  const kept = new Float64Array(path.length);
  for (let index = 0; index < path.length; index += 1) {
    let used = path[index] ?? 0;
    for (let at = 0; at < allowances.length; at += 1) {
      const allowance = allowances[at];
      if (allowance?.resets.includes(index) === true) left[at] = allowance.limit;
      used = Math.min(used, left[at] ?? 0);
    }
    for (let at = 0; at < left.length; at += 1) left[at] = (left[at] ?? 0) - used;
    kept[index] = used;
  }
  return kept;
}
