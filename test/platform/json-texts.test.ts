import { expect, test } from "vitest";
import { jsonTexts } from "../../src/platform/json-texts.ts";

test("rows are written in texts that D1 accepts, each row once and in order", () => {
  const rows = Array.from({ length: 60_000 }, (_, i) => [`maker/model-${i}-\u{4e2d}`.repeat(3), "name", i]);
  const texts = jsonTexts(rows);
  expect(texts.flatMap((text) => JSON.parse(text) as unknown[])).toEqual(rows);
  const sizes = texts.map((text) => new TextEncoder().encode(text).byteLength);
  expect(Math.max(...sizes)).toBeLessThan(2_000_000);
  expect(jsonTexts([])).toEqual([]);
});
