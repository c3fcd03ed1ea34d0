/**
 * The elements of a JSON array that is bound to a parameter, each as `row`. The offset keeps `row` a value: without it the
 * element would be written out as text anew for each column that is taken out of it.
 */
export function jsonRows(parameter = "?"): string {
  return `(SELECT value AS row FROM json_each(${parameter}) LIMIT -1 OFFSET 0)`;
}
