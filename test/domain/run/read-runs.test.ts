import * as fc from "fast-check";
import { expect, test } from "vitest";
import { runBatch, runInput } from "../../../src/contract/resources/runs/runs.ts";
import { usdProblem } from "../../../src/contract/shapes.ts";
import { structureProblem } from "../../../src/domain/text/json-bounds.ts";
import { parseUsd } from "../../../src/domain/price/money.ts";
import { readRun, readRuns } from "../../../src/domain/run/read-runs.ts";

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

/** A body as the schema reads it, behind the checks of its text. Undefined: it is refused. */
function bySchema(shape: typeof runInput | typeof runBatch, text: string): unknown {
  if (structureProblem(text) !== null) return undefined;
  const parsed = shape.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : undefined;
}

const FIELDS = Object.keys(runInput.shape);
const change = fc.tuple(
  fc.constantFrom(...FIELDS, ...FIELDS, "surprise"),
  fc.option(odd, { nil: undefined }),
);
const someRun = fc
  .tuple(fc.array(change, { maxLength: 3 }), fc.subarray(Object.keys(good)))
  .map(([changes, without]) => {
    const made: Record<string, unknown> = { ...good, ...Object.fromEntries(changes) };
    for (const field of without) if (changes.length !== 1) delete made[field];
    return { started_at: good.started_at, model: "m", usage: good.usage, ...made };
  });

test("a run is read exactly as its schema reads it, or refused as it refuses it", () => {
  const seen = { taken: 0, refused: 0 };
  fc.assert(
    fc.property(someRun, (run) => {
      const text = JSON.stringify(run);
      const read = readRun(text) ?? undefined;
      seen[read === undefined ? "refused" : "taken"] += 1;
      expect(read).toEqual(bySchema(runInput, text));
    }),
    { numRuns: 2000 },
  );
  expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(300);
});

test("a batch is read exactly as its schema reads it, or refused as it refuses it", () => {
  const seen = { taken: 0, refused: 0 };
  fc.assert(
    fc.property(fc.array(someRun, { minLength: 1, maxLength: 4 }), (runs) => {
      const text = JSON.stringify({ runs });
      const read = readRuns(text) ?? undefined;
      seen[read === undefined ? "refused" : "taken"] += 1;
      expect(read && { runs: read }).toEqual(bySchema(runBatch, text));
    }),
    { numRuns: 1500 },
  );
  expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(100);
});

test.each([
  "{}",
  "[]",
  "null",
  "7",
  "",
  "{",
  '{"runs":{}}',
  '{"runs":[null]}',
  '{"runs":[[]]}',
  '{"runs":[7]}',
])("%j is neither a run nor a batch", (text) => {
  expect([readRun(text), readRuns(text)]).toEqual([null, null]);
});

const TIMES = ["00Z", "00.5Z", "00.0001Z", "00.0009Z", "00.499Z", "00.500Z", "01Z", "00+00:00", "00.5-00:01"];

test.each(TIMES)("a run that started at …%s may end exactly when the schema lets it", (from) => {
  for (const to of TIMES) {
    const [started_at, ended_at] = [`2026-11-15T02:00:${from}`, `2026-11-15T02:00:${to}`];
    const run = JSON.stringify({ ...good, started_at, ended_at });
    expect([to, readRun(run) !== null]).toEqual([to, bySchema(runInput, run) !== undefined]);
  }
});

const nested = (levels: number): unknown =>
  levels === 0 ? 1 : levels % 2 === 0 ? [nested(levels - 1)] : { a: nested(levels - 1) };

test.each([27, 28, 29, 30, 31, 32])(
  "a run with a value of %d levels is judged as the schema judges it",
  (levels) => {
    for (const field of ["input", "metadata"]) {
      const run = { ...good, [field]: { a: nested(levels - 1) } };
      const [one, many] = [JSON.stringify(run), JSON.stringify({ runs: [run] })];
      expect(readRun(one) !== null).toBe(bySchema(runInput, one) !== undefined);
      expect(readRuns(many) !== null).toBe(bySchema(runBatch, many) !== undefined);
      expect([readRun(one) !== null, readRuns(many) !== null]).toEqual([levels <= 31, levels <= 29]);
    }
  },
);

test("half of a surrogate pair is refused, also where a later field of the same name hides it", () => {
  const text = JSON.stringify(good);
  expect(readRun(`{"model":"\\ud800",${text.slice(1)}`)).toBeNull();
  expect(readRun(`{"metadata":${"[".repeat(40)}${"]".repeat(40)},${text.slice(1)}`)).toBeNull();
});

test("a run with every field and one with the fewest are read", () => {
  const { started_at, model, usage } = good;
  for (const run of [good, { started_at, model, usage }]) expect(readRun(JSON.stringify(run))).toEqual(run);
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
  const judged = batches.map((runs) => readRuns(JSON.stringify({ runs })) !== null);
  expect({ schema: runInput.safeParse(run).success, judged }).toEqual({
    schema: isValid,
    judged: batches.map(() => isValid),
  });
});

test("a field named __proto__ is unknown, wherever it is", () => {
  const text = JSON.stringify(plain);
  expect(readRuns(`{"runs":[${text},{"__proto__":1,${text.slice(1)}]}`)).toBeNull();
  expect(readRuns(`{"runs":[${text}],"__proto__":[]}`)).toBeNull();
});

test("a run is judged in a batch as it is alone, whatever the runs before it said", () => {
  const value = fc.oneof(fc.constantFrom<unknown>(...BOUNDS.map(([, bound]) => bound)), odd);
  const mostlyBounds = fc.tuple(fc.constantFrom(...Object.keys(plain)), fc.option(value, { nil: undefined }));
  const changed = fc.array(mostlyBounds, { maxLength: 2 }).map((changes) => ({
    ...plain,
    ...Object.fromEntries(changes),
  }));
  fc.assert(
    fc.property(fc.array(changed, { minLength: 1, maxLength: 5 }), (made) => {
      const text = JSON.stringify({ runs: made });
      const { runs } = JSON.parse(text) as { runs: unknown[] };
      expect(readRuns(text)).toEqual(
        runs.every((run) => readRun(JSON.stringify(run)) !== null) ? runs : null,
      );
    }),
    { numRuns: 1000 },
  );
});

test.each([0, 1, 1000, 1001])("a batch of %d is well-formed exactly if the contract says so", (count) => {
  const text = JSON.stringify({ runs: Array.from({ length: count }, () => good) });
  expect(readRuns(text)?.length ?? null).toBe(count >= 1 && count <= 1000 ? count : null);
});

test("an amount passes the schema exactly if the ledger can parse it", () => {
  const digits = fc.stringMatching(/^[0-9]{0,12}(\.[0-9]{0,11})?$/);
  fc.assert(
    fc.property(fc.oneof(digits, fc.string()), (text) => {
      expect(usdProblem(text) === null).toBe(parseUsd(text) !== null);
    }),
    { numRuns: 1000 },
  );
});
