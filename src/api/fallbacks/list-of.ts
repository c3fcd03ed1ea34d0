/** What a part of a match names. */
export function listOf(given: string | readonly string[] | undefined): readonly string[] {
  if (given === undefined) return [];
  return typeof given === "string" ? [given] : given;
}
