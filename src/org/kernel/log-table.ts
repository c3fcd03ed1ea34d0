/** Copying so many rows takes less than a second. */
const MOST_COPIED = 100_000;

/**
 * Makes a log anew without the index of its ids, which is one more row to write for each of its own. A longer log keeps
 * what it has: an object that wakes must not copy millions of rows first.
 */
export function dropUniqueIds(sql: SqlStorage, log: string, columns: string): void {
  const { rows } = sql
    .exec<{ rows: number }>(`SELECT IFNULL(MAX(seq) - MIN(seq) + 1, 0) AS rows FROM ${log}`)
    .one();
  if (rows > MOST_COPIED) return;
  sql.exec(`CREATE TABLE ${log}_anew ${columns}`);
  sql.exec(`INSERT INTO ${log}_anew SELECT * FROM ${log} ORDER BY seq`);
  sql.exec(`DROP TABLE ${log}`);
  sql.exec(`ALTER TABLE ${log}_anew RENAME TO ${log}`);
}
