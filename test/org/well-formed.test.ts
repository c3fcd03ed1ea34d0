import * as fc from "fast-check";
import { expect, test } from "vitest";
import { runInput } from "../../src/contract/resources/runs.ts";
import { usdProblem } from "../../src/contract/shapes.ts";
import { parseUsd } from "../../src/domain/money.ts";
import { isWellFormedRun, wellFormedBatch } from "../../src/org/runs/well-formed.ts";

const good = {
  id: "r",
  started_at: "2026-11-15T02:00:00Z",
  ended_at: "2026-11-15T02:00:01.5Z",
  model: "m",
  action: "a",
  workflow_id: "w",
  deployment_id: "d",
  department_id: "p",
  customer_id: "c",
  user_id: "u",
  provider: "acme",
  tags: { team: "support" },
  chain: { chain_id: "x", parent_run_id: "y" },
  usage: { input_tokens: 1, output_tokens: 2 },
  cost_usd: "1.5",
  reservation_id: "rsv_1",
  incurred: true,
  input: { messages: ["hi"] },
  approval_id: "apr_1",
  metadata: { a: { b: 1 } },
};

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    -1,
    1.5,
    1e13,
    true,
    "",
    " ",
    "é",
    "1e3",
    "+1",
    " 1",
    "1.0000000000",
    [],
    {},
  ),
  fc.constantFrom(
    "2026-02-30T00:00:00Z",
    "2026-02-28T24:00:00Z",
    "2026-11-15",
    "2026-11-15T00:00:00",
    "a".repeat(129),
  ),
  fc.constantFrom<unknown>(
    { chain_id: "x" },
    { chain_id: "" },
    { Team: "x" },
    { team: "" },
    { team: "x".repeat(201) },
    JSON.parse('{"__proto__": "x"}'),
    Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`t${at}`, "x"])),
    { input_tokens: 1 },
    { input_tokens: 1, output_tokens: -1 },
  ),
  fc.string(),
  fc.jsonValue(),
);

test("the schema accepts, unchanged, whatever passes the hand-written check", () => {
  const fields = fc.constantFrom(...Object.keys(good), "surprise");
  const change = fc.tuple(fields, fc.option(odd, { nil: undefined }));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 4 }), (changes) => {
      const run = JSON.parse(JSON.stringify({ ...good, ...Object.fromEntries(changes) })) as unknown;
      const parsed = runInput.safeParse(run);
      expect(
        !isWellFormedRun(run) || (parsed.success && JSON.stringify(parsed.data) === JSON.stringify(run)),
      ).toBe(true);
    }),
    { numRuns: 3000 },
  );
});

test("a run with every field and one with the fewest pass the hand-written check", () => {
  const { started_at, model, usage } = good;
  expect([good, { started_at, model, usage }].map(isWellFormedRun)).toEqual([true, true]);
});

test.each([0, 1, 1000, 1001])("a batch of %d is well-formed exactly if the contract says so", (count) => {
  const text = JSON.stringify({ runs: Array.from({ length: count }, () => good) });
  expect(wellFormedBatch(text)?.length ?? null).toBe(count >= 1 && count <= 1000 ? count : null);
});

test("an amount passes the schema exactly if the ledger can parse it", () => {
  const digits = fc.stringMatching(/^[0-9]{0,12}(\.[0-9]{0,11})?$/);
  fc.assert(
    fc.property(fc.oneof(digits, fc.string()), (text) => {
      expect(usdProblem(text) === null).toBe(parseUsd(text) !== null);
    }),
    { numRuns: 2000 },
  );
});
