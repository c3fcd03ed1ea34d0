/** A sum as a JSON number, limited to the largest integer that is exact. */
export function asCount(sum: bigint | number): number {
  return Math.min(Number(sum), Number.MAX_SAFE_INTEGER);
}
