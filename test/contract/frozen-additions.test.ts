import { expect, test } from "vitest";
import { publishedFacts } from "../../scripts/frozen-contract/published.ts";
import { OPERATIONS } from "../../src/operations.ts";
import manifest from "./manifest.json" with { type: "json" };

test("everything that is published is frozen; else run `npm run freeze`", () => {
  const published = Object.keys(publishedFacts(OPERATIONS.map((operation) => operation.contract)));
  expect(published.filter((name) => !Object.hasOwn(manifest.facts, name))).toEqual([]);
});
