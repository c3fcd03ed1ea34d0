import { expect, test } from "vitest";
import { publishedAccess } from "../../scripts/frozen-contract/access.ts";
import { publishedFacts } from "../../scripts/frozen-contract/published.ts";
import { CONTRACTS } from "../../src/operations.ts";
import manifest from "./manifest.json" with { type: "json" };

test("everything that is published is frozen; else run `npm run freeze`", () => {
  const published = Object.keys(publishedFacts(CONTRACTS));
  expect(published.filter((name) => !Object.hasOwn(manifest.facts, name))).toEqual([]);
});

test("who may call each operation is as it was frozen; else run `npm run freeze`, which shows what opens", () => {
  expect(publishedAccess(CONTRACTS)).toEqual(manifest.access);
});
