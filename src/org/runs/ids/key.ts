import type { HashKey } from "../../../storage/key-index/key-hash.ts";
import { TransactionalCache } from "../../../storage/transactional-cache.ts";

const keys = new TransactionalCache<HashKey>();

/** The key for hashing the ids of an org's runs. */
export function idKey(sql: SqlStorage): HashKey {
  return keys.get(sql, () => {
    const { first, second } = sql
      .exec<{ first: number; second: number }>("SELECT first, second FROM run_id_key")
      .one();
    return [first, second];
  });
}

export function makeIdKey(sql: SqlStorage): void {
  const [first = 0, second = 0] = crypto.getRandomValues(new Int32Array(2));
  sql.exec("INSERT INTO run_id_key (one, first, second) VALUES (1, ?, ?)", first, second);
}
