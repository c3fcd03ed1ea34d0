/** A sum as a JSON number. One that is larger than numbers hold exactly is told as the largest that they do. */
export function asCount(sum: bigint | number): number {
  return Math.min(Number(sum), Number.MAX_SAFE_INTEGER);
}
