import { describe, expect, test } from "vitest";
import { attemptDigest, type JudgedRun } from "../../../src/domain/policy/attempt.ts";

const COST = 9_000_000_000n;
const RUN: JudgedRun = {
  model: "acme/m1",
  action: "send",
  customer_id: "c",
  usage: { input_tokens: 10, output_tokens: 5 },
  metadata: { b: 1, a: [2] },
};
const tokens = (more: object) => ({ usage: { ...RUN.usage, ...more } });

test("an attempt that names nothing newer has the digest that stored approvals have", () => {
  expect(attemptDigest(RUN, COST)).toBe("a4be4ac76c01d814f6de5e02a3cbc30bf13a88747b2a4f8d64de1eb7701ed8b8");
  expect(attemptDigest({ ...RUN, metadata: { a: [2], b: 1 } }, COST)).toBe(attemptDigest(RUN, COST));
});

describe("no two attempts have one digest that differ in", () => {
  const DIFFERENT: readonly (readonly [what: string, one: object, other: object])[] = [
    ["their chain", { chain: { chain_id: "c1" } }, { chain: { chain_id: "c2" } }],
    ["whether they are in a chain", { chain: { chain_id: "c1" } }, {}],
    ["their parent", { chain: { chain_id: "c", parent_run_id: "r" } }, { chain: { chain_id: "c" } }],
    ["their variant", { variant: "batch" }, { variant: "fast" }],
    ["whether they name a variant", { variant: "batch" }, {}],
    ["the parts of their tokens", tokens({ cache_read_tokens: 3 }), tokens({ cache_read_tokens: 4 })],
    ["which part it is", tokens({ cache_read_tokens: 3 }), tokens({ cache_write_tokens: 3 })],
    ["whether they name parts", tokens({ cache_read_tokens: 3 }), {}],
    ["their metadata", { metadata: { a: [2] } }, {}],
  ];
  test.each(DIFFERENT)("%s", (_what, one, other) => {
    const [first, second] = [one, other].map((fields) => attemptDigest({ ...RUN, ...fields }, COST));
    expect(first).not.toBe(second);
  });
});
