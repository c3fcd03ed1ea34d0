/** A table whose rows are in the order of their numbers and times. */
interface Ordered {
  readonly table: string;
  readonly number: string;
  readonly time: string;
}

/** The first number from which on rows have this time or a later one, by binary search, and whether there is such a row. */
export function firstSince(
  sql: SqlStorage,
  { table, number, time }: Ordered,
  atMs: number,
): { readonly number: number; readonly isThere: boolean } {
  const { first, last } = sql
    .exec<{ first: number; last: number }>(
      `SELECT IFNULL((SELECT MIN(${number}) FROM ${table}), 0) AS first,
         IFNULL((SELECT MAX(${number}) FROM ${table}), 0) AS last`,
    )
    .one();
  let [low, high, isThere] = [first, last + 1, false];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [row] = sql.exec<{ at: number }>(
      `SELECT ${time} AS at FROM ${table} WHERE ${number} >= ? ORDER BY ${number} LIMIT 1`,
      middle,
    );
    if (row !== undefined && row.at < atMs) low = middle + 1;
    else {
      high = middle;
      isThere ||= row !== undefined;
    }
  }
  return { number: low, isThere };
}
