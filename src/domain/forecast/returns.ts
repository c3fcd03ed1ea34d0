import { ascending, median, medianSlope } from "./robust.ts";

/** Usage grows as `capacity ** exponent`: below 1, each added team brings less than the one before. */
export type Returns = { readonly exponent: number; readonly source: "fitted" | "assumed" };

export type ReturnsPoint = { readonly capacity: number; readonly total: number; readonly marginal: number };

const ASSUMED: Returns = { exponent: 0.8, source: "assumed" };
const LEAST_EXPONENT = 0.2;
const LEAST_TEAM_COUNTS = 3;
const CAPACITIES = [1, 1.25, 1.5, 2, 3, 4];

/** Fits usage against the number of active teams. If the number varies too little, it is an assumption. */
export function fitReturns(days: readonly { readonly teams: number; readonly value: number }[]): Returns {
  const byTeams = new Map<number, number[]>();
  for (const { teams, value } of days) {
    if (teams > 0 && value > 0) byTeams.set(teams, [...(byTeams.get(teams) ?? []), value]);
  }
  if (byTeams.size < LEAST_TEAM_COUNTS) return ASSUMED;
  const counts = [...byTeams.keys()].sort(ascending);
  const points = counts.map(
    (teams) => [Math.log(teams), Math.log(median(byTeams.get(teams) ?? [0]))] as const,
  );
  return { exponent: Math.min(1, Math.max(LEAST_EXPONENT, medianSlope(points))), source: "fitted" };
}

/**
 * Returns what multiples of today's capacity would use. `marginal` is the value of one more unit, relative to today's.
 */
export function returnsCurve(returns: Returns, totalToday: number): ReturnsPoint[] {
  return CAPACITIES.map((capacity) => ({
    capacity,
    total: totalToday * capacity ** returns.exponent,
    marginal: capacity ** (returns.exponent - 1),
  }));
}

/** The linear projection: what one team returned, times the number of teams. Rounded down per team. */
export function linearReturn({
  returnedNano,
  activeTeams,
  teams,
}: {
  readonly returnedNano: bigint;
  readonly activeTeams: number;
  readonly teams: number;
}): bigint {
  return (returnedNano / BigInt(Math.max(1, activeTeams))) * BigInt(teams);
}
