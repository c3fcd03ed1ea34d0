/** A part of a limit that ends by itself. */
export interface Increase {
  readonly id: string;
  /** In the unit of the limit, as a decimal text. */
  readonly amount: string;
  readonly untilMs: number;
  readonly reason: string;
  readonly createdAtMs: number;
}

/** The limit with these increases. */
export function addIncreases(limit: bigint, increases: readonly Pick<Increase, "amount">[]): bigint {
  return increases.reduce((sum, { amount }) => sum + BigInt(amount), limit);
}
