import * as fc from "fast-check";
import { expect, test } from "vitest";
import { runInput } from "../../../src/contract/resources/runs/runs.ts";
import { usdProblem } from "../../../src/contract/shapes.ts";
import { parseUsd } from "../../../src/domain/price/money.ts";
import { isWellFormedRun, wellFormedBatch } from "../../../src/domain/run/well-formed-runs.ts";

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
  requested_model: "large",
  fallback: "cheaper",
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
  expect([good, { started_at, model, usage }].map((run) => isWellFormedRun(run))).toEqual([true, true]);
});

const plain = {
  id: "r",
  started_at: "2026-11-15T02:00:00.250Z",
  model: "m",
  action: "a",
  workflow_id: "w",
  deployment_id: "d",
  department_id: "p",
  customer_id: "c",
  usage: { input_tokens: 1, output_tokens: 2 },
  cost_usd: "1.5",
};

/** Each with whether the schema accepts it. */
const BOUNDS: readonly (readonly [field: string, value: unknown, isValid: boolean])[] = [
  ...["id", "action", "workflow_id", "deployment_id", "department_id", "customer_id"].flatMap((field) => [
    [field, "x".repeat(128), true] as const,
    [field, "x".repeat(129), false] as const,
    [field, "", false] as const,
    [field, " ~", true] as const,
    [field, "\u001f", false] as const,
    [field, "\u007f", false] as const,
    [field, "é", false] as const,
    [field, 7, false] as const,
    [field, null, false] as const,
  ]),
  ["model", "m".repeat(200), true],
  ["model", "m".repeat(201), false],
  ["model", "", false],
  ["model", 7, false],
  ["model", undefined, false],
  ["started_at", "2026-11-15T02:00:00Z", true],
  ["started_at", "2026-11-15T02:00:00.1Z", true],
  ["started_at", "2026-11-15T02:00:00.123456789Z", true],
  ["started_at", "2026-11-15T02:00:00.1234567890Z", false],
  ["started_at", "2026-11-15T02:00:00.Z", false],
  ["started_at", "2026-11-15T02:00:00", false],
  ["started_at", "2026-11-15T02:00:00.12", false],
  ["started_at", "2026-11-15T02:00:00.12z", false],
  ["started_at", "2026-11-15T02:00:00,12Z", false],
  ["started_at", "2026-11-15T02:00:00.1/Z", false],
  ["started_at", "2026-11-15T02:00:00.1:Z", false],
  ["started_at", "2026-11-15T02:00:00+02:00", true],
  ["started_at", "2026-11-15T02:00:00.5+02:00", true],
  ["started_at", "2026-11-15T02:00:60Z", false],
  ["started_at", "null-11-15T02:00:00Z", false],
  ["started_at", "2026-02-29T02:00:00Z", false],
  ["started_at", undefined, false],
  ["cost_usd", "0", true],
  ["cost_usd", "000999999999.999999999", true],
  ["cost_usd", "1000000000", false],
  ["cost_usd", "0.1234567890", false],
  ["cost_usd", "1.", false],
  ["cost_usd", ".1", false],
  ["cost_usd", "1/2", false],
  ["cost_usd", "1:2", false],
  ["cost_usd", "1.5\n", false],
  ["cost_usd", 1.5, false],
  ["usage", { input_tokens: 1e12, output_tokens: 0 }, true],
  ["usage", { input_tokens: 1e12 + 1, output_tokens: 0 }, false],
  ["usage", { input_tokens: 0, output_tokens: 1e12 + 1 }, false],
  ["usage", { input_tokens: -1, output_tokens: 0 }, false],
  ["usage", { input_tokens: 0.5, output_tokens: 0 }, false],
  ["usage", { input_tokens: 1 }, false],
  ["usage", { input_tokens: 1, output_tokens: 2, surprise: 3 }, false],
  ["usage", JSON.parse('{"input_tokens":1,"output_tokens":2,"__proto__":3}'), false],
  ["usage", undefined, false],
  ["surprise", 1, false],
];

test.each(BOUNDS)("%s: %j is accepted exactly if the schema accepts it", (field, value, isValid) => {
  const run = JSON.parse(JSON.stringify({ ...plain, [field]: value })) as unknown;
  const batches = [[run], [plain, run], [run, plain], [plain, run, run]];
  const judged = batches.map((runs) => wellFormedBatch(JSON.stringify({ runs })) !== null);
  expect({ schema: runInput.safeParse(run).success, judged }).toEqual({
    schema: isValid,
    judged: batches.map(() => isValid),
  });
});

test("a field named __proto__ is unknown, wherever it is", () => {
  const text = JSON.stringify(plain);
  expect(wellFormedBatch(`{"runs":[${text},{"__proto__":1,${text.slice(1)}]}`)).toBeNull();
  expect(wellFormedBatch(`{"runs":[${text}],"__proto__":[]}`)).toBeNull();
});

test("a run is judged in a batch as it is alone, whatever the runs before it said", () => {
  const value = fc.oneof(fc.constantFrom<unknown>(...BOUNDS.map(([, bound]) => bound)), odd);
  const change = fc.tuple(fc.constantFrom(...Object.keys(plain)), fc.option(value, { nil: undefined }));
  const changed = fc.array(change, { maxLength: 2 }).map((changes) => ({
    ...plain,
    ...Object.fromEntries(changes),
  }));
  fc.assert(
    fc.property(fc.array(changed, { minLength: 1, maxLength: 5 }), (made) => {
      const text = JSON.stringify({ runs: made });
      const { runs } = JSON.parse(text) as { runs: unknown[] };
      expect(wellFormedBatch(text)).toEqual(runs.every((run) => isWellFormedRun(run)) ? runs : null);
    }),
    { numRuns: 2000 },
  );
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
