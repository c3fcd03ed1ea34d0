import type { HashKey } from "../key-index/key-hash.ts";
import type { SegmentPlace } from "./layout.ts";

/** The key for hashing ids, which no caller knows. */
export function readHashKey({ sql, name }: SegmentPlace): HashKey {
  const { first, second } = sql
    .exec<{ first: number; second: number }>(`SELECT first, second FROM ${name}_id_key`)
    .one();
  return [first, second];
}

export function makeHashKey(sql: SqlStorage, name: string): void {
  const [first = 0, second = 0] = crypto.getRandomValues(new Int32Array(2));
  sql.exec(`INSERT INTO ${name}_id_key (one, first, second) VALUES (1, ?, ?)`, first, second);
}
