/**
 * The elements of a JSON array that is bound to a parameter, each as `row`. The offset keeps `row` a value: without it the
 * element would be written out as text anew for each column that is taken out of it.
 */
export function jsonRows(parameter = "?"): string {
  return `(SELECT value AS row FROM json_each(${parameter}) LIMIT -1 OFFSET 0)`;
}

/** The platform takes no text of more than 2 MB; a character is at most three bytes. */
export const MOST_BOUND_CHARACTERS = 600_000;

/** Hands rows to a statement as JSON, in as many parts as they need. */
export function inParts(rows: readonly unknown[], run: (json: string) => void): void {
  const json = JSON.stringify(rows);
  if (json.length <= MOST_BOUND_CHARACTERS || rows.length <= 1) {
    run(json);
    return;
  }
  const half = Math.ceil(rows.length / 2);
  inParts(rows.slice(0, half), run);
  inParts(rows.slice(half), run);
}
