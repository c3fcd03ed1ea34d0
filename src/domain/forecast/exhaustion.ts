import type { Path } from "./paths.ts";
import { ascending } from "./robust.ts";
import { dateOfDay, type DayNumber } from "./series.ts";

/** A limit over the days of a path. `resets` are the indexes of days on which a new period begins. */
export type Allowance = { readonly limit: number; readonly left: number; readonly resets: readonly number[] };

export type Exhaustion = { readonly p50Date: string | null; readonly p90Date: string | null };

/** The index of the first day on which the path uses the allowance up, or infinity. */
function usedUpOn(path: Path, allowance: Allowance): number {
  let left = allowance.left;
  for (const [index, value] of path.entries()) {
    if (allowance.resets.includes(index)) left = allowance.limit;
    left -= value;
    if (left <= 0) return index;
  }
  return Infinity;
}

/**
 * `p50Date` is the day by which half of the possible futures have used the allowance up; `p90Date` is that of high
 * usage, by which a tenth of them have, so it is never the later one. Null: not within these days.
 */
export function exhaustionOf(paths: readonly Path[], firstDay: DayNumber, allowance: Allowance): Exhaustion {
  const days = paths.map((path) => usedUpOn(path, allowance)).sort(ascending);
  const dateAt = (share: number): string | null => {
    const index = days[Math.ceil(days.length * share) - 1] ?? Infinity;
    return Number.isFinite(index) ? dateOfDay(firstDay + index) : null;
  };
  return { p50Date: dateAt(0.5), p90Date: dateAt(0.1) };
}

/** The path as it would be if no allowance could be passed: what does not fit is refused. */
export function held(path: Path, allowances: readonly Allowance[]): Path {
  const left = allowances.map((allowance) => Math.max(0, allowance.left));
  return path.map((wanted, index) => {
    for (const [at, allowance] of allowances.entries()) {
      if (allowance.resets.includes(index)) left[at] = allowance.limit;
    }
    const used = Math.min(wanted, ...left);
    for (const at of left.keys()) left[at] = (left[at] ?? 0) - used;
    return used;
  });
}
