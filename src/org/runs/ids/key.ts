import type { HashKey } from "../../../domain/id-index/keyed-number.ts";
import { Copy } from "../../kernel/copies.ts";

/** Renumbering this many runs takes less than a second. */
const MOST_RENUMBERED = 100_000;

const keys = new Copy<HashKey | null>();

/** The key for hashing the ids of an org's runs. Null if an index of an earlier version has them without a key. */
export function idKey(sql: SqlStorage): HashKey | null {
  return keys.get(sql, () => {
    const [row] = sql.exec<{ first: number; second: number }>("SELECT first, second FROM run_id_key");
    return row === undefined ? null : [row.first, row.second];
  });
}

/**
 * Gives the index a key, and rebuilds it from the runs. An org with many runs, or with ids of deleted runs, which
 * cannot be renumbered, keeps its index.
 */
export function makeIdKey(sql: SqlStorage): void {
  const { runs, gone } = sql
    .exec<{ runs: number; gone: number }>(
      `SELECT (SELECT COUNT(*) FROM runs) + (SELECT IFNULL(SUM(runs), 0) FROM run_blocks) AS runs,
         EXISTS (SELECT 1 FROM run_blocks WHERE state = 'remains') AS gone`,
    )
    .one();
  if (gone === 1 || runs > MOST_RENUMBERED) return;
  const [first = 0, second = 0] = crypto.getRandomValues(new Int32Array(2));
  sql.exec("INSERT INTO run_id_key (one, first, second) VALUES (1, ?, ?)", first, second);
  sql.exec("DELETE FROM run_id_segments");
  sql.exec("DELETE FROM run_id_blocks");
  keys.forget(sql);
}
