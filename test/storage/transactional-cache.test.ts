import { expect, test } from "vitest";
import {
  beginTransaction,
  rollBackCaches,
  TransactionalCache,
} from "../../src/storage/transactional-cache.ts";

/** A copy in memory equals what is stored, also after a rollback. */

test("a copy that is only replaced outlives the rollback of transactions that began after it was read", () => {
  const sql = {} as SqlStorage;
  const cache = new TransactionalCache<number>("replaced");
  let stored = 1;
  let reads = 0;
  const read = () =>
    cache.get(sql, () => {
      reads += 1;
      return stored;
    });
  const change = (to: number) => {
    stored = to;
    cache.forget(sql);
  };
  expect([read(), reads]).toEqual([1, 1]);
  rollBackCaches(sql, beginTransaction());
  expect([read(), reads]).toEqual([1, 1]);

  // Read again in a transaction that had changed the original.
  const failed = beginTransaction();
  change(2);
  expect(read()).toBe(2);
  stored = 1;
  rollBackCaches(sql, failed);
  expect([read(), reads]).toEqual([1, 3]);

  // Only a part of a transaction fails.
  const outer = beginTransaction();
  change(3);
  const inner = beginTransaction();
  expect(read()).toBe(3);
  rollBackCaches(sql, inner);
  expect([read(), reads]).toEqual([3, 5]);
  const second = beginTransaction();
  change(4);
  stored = 3;
  rollBackCaches(sql, second);
  expect(read()).toBe(3);
  stored = 1;
  rollBackCaches(sql, outer);
  expect(read()).toBe(1);

  // A copy that is set is as new as one that is read.
  const last = beginTransaction();
  cache.set(sql, 5);
  rollBackCaches(sql, last);
  expect(read()).toBe(1);
});
