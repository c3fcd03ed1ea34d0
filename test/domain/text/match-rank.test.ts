import { expect, test } from "vitest";
import { matchRank } from "../../../src/domain/text/match-rank.ts";

test.each([
  ["Acme", "acme", 0],
  ["ÖKOSTROM", "ökostrom", 0],
  ["Acme Corp", "ACME", 1],
  ["The Acme", "acme", 2],
  ["100% _", "% _", 2],
  ["Acme", "acme corp", null],
  ["", "a", null],
])("%s for %s", (name, text, rank) => {
  expect(matchRank(name, text)).toBe(rank);
});
