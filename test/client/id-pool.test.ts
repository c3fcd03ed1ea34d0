import { expect, test } from "vitest";
import { IdPool } from "../../src/client/gate/id-pool.ts";

const idsOf = (count: number) => Array.from({ length: count }, (_, at) => `rsv_${at}`);

test("a gate with few calls asks for a hundred ids, and one that uses them up for a thousand", () => {
  let now = 0;
  const pool = new IdPool(() => now);
  expect([pool.wanted, pool.isReady()]).toEqual([100, false]);
  pool.add(idsOf(100));
  for (let call = 0; call < 40; call += 1) pool.newId();
  expect([pool.wanted, pool.size]).toEqual([0, 60]);
  for (let call = 0; call < 20; call += 1) pool.newId();
  expect(pool.wanted).toBe(60);
  pool.add(idsOf(60));
  expect(pool.wanted).toBe(900);
  pool.add(idsOf(900));
  expect(pool.wanted).toBe(0);
  now = 60_000;
  expect([pool.isReady(), pool.size, pool.wanted]).toEqual([false, 0, 100]);
});

test("each id is given once, and none when there are none left", () => {
  const pool = new IdPool(() => 0);
  pool.add(idsOf(3));
  pool.add(["rsv_later"]);
  const given = Array.from({ length: 4 }, () => pool.newId());
  expect(new Set(given).size).toBe(4);
  expect(pool.isReady()).toBe(false);
  expect(() => pool.newId()).toThrow("no ids left");
});
