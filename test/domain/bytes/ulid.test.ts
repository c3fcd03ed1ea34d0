import { expect, test } from "vitest";
import { derivedId, newId } from "../../../src/domain/bytes/ulid.ts";

const NOW = Date.parse("2026-11-15T00:00:00Z");

test("ids have one format and are unique", () => {
  const ids = Array.from({ length: 2000 }, () => newId("run", NOW));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^run_[0-9A-HJKMNP-TV-Z]{26}$/.test(id))).toEqual([]);
});

test("ids sort by creation time", () => {
  const times = [0, 1, 31, 32, NOW - 1, NOW, NOW + 1, 2 ** 42];
  const ids = times.map((at) => newId("run", at));
  expect(ids.toSorted()).toEqual(ids);
  expect(newId("run", NOW).slice(0, 14)).toBe(derivedId("run", `${NOW}:seed`).slice(0, 14));
});
