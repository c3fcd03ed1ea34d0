const monthOf = (ms: number) => new Date(ms).toISOString().slice(0, 7);

/**
 * Returns whether a charge corrects one of a month before its own. A run that is no longer stored (null) is of an
 * earlier month.
 */
export function isOfEarlierMonth(startedAtMs: number | null, atMs: number): boolean {
  return startedAtMs === null || monthOf(startedAtMs) < monthOf(atMs);
}
