import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { RunResource } from "../../../../src/contract/resources/runs/runs.ts";
import { formatUsd } from "../../../../src/domain/price/money.ts";
import { rawJson } from "../../../../src/domain/text/raw-json.ts";
import { ParquetFile } from "../../../../src/domain/run/parquet/file.ts";
import { shownRunsFile } from "../../../../src/domain/run/parquet/shown-runs.ts";
import { askDuckDb } from "./duckdb.ts";

const RUN: RunResource = {
  id: "run_1",
  started_at: "2026-03-01T10:00:00.123Z",
  ended_at: null,
  model: "acme/m1",
  action: null,
  workflow_id: null,
  deployment_id: null,
  department_id: null,
  customer_id: null,
  user_id: null,
  provider: null,
  key_id: null,
  tags: {},
  chain: null,
  usage: { input_tokens: 10, output_tokens: 20 },
  variant: null,
  cost_usd: "0.000000001",
  cost_source: "caller",
  price_revision: null,
  cost_breakdown: null,
  adjusted_usd: "0.00",
  net_cost_usd: "0.000000001",
  reservation_id: null,
  incurred: false,
  approval_id: null,
  outcome: "completed",
  estimated: false,
  requested_model: null,
  fallback: null,
  metadata: null,
  recorded_at: "2026-03-01T10:00:01.000Z",
  charged_at: "2026-03-01T10:00:01.000Z",
  charges: [],
  uncovered_usd: null,
  shadow: [],
};

const FULL: RunResource = {
  ...RUN,
  id: "run_2",
  ended_at: "2026-03-01T10:00:09.000Z",
  action: "summarize",
  workflow_id: "wf",
  deployment_id: "dep",
  department_id: "dpt",
  customer_id: "cust",
  user_id: "user",
  provider: "acme",
  key_id: "key_1",
  tags: { team: "😀 ops" },
  chain: { chain_id: "chain", parent_run_id: "run_1", depth: 2 },
  usage: {
    input_tokens: 9_007_199_254_740_991,
    output_tokens: 5,
    cache_read_tokens: 7,
    units: { search: 3 },
  },
  variant: "batch",
  cost_usd: "12345678901.123456789",
  cost_source: "price_book",
  price_revision: 4,
  cost_breakdown: [{ class: "input", quantity: 1, usd_per_mtok: "1", cost_usd: "1.00" }],
  adjusted_usd: "-0.000000003",
  net_cost_usd: "12345678901.123456786",
  reservation_id: "res_1",
  incurred: true,
  approval_id: "apr_1",
  outcome: "unreported",
  estimated: true,
  requested_model: "large",
  fallback: "cheaper",
  metadata: { count: rawJson("12345678901234567890") },
  charges: [{ kind: "budget", id: "bud_1", amount_usd: "1.00" }],
  uncovered_usd: "0.50",
  shadow: [{ status: 402, code: "budget_exceeded", details: {} }],
};

/** What a file begins with, whatever is in it. */
const MAGIC_BYTES = 4;

function fileOf(...batches: (readonly RunResource[])[]): Uint8Array {
  const file = shownRunsFile();
  return Buffer.concat([...batches.map((runs) => file.add(runs)), file.end()]);
}

test("DuckDB reads every field of a run", async () => {
  const [bare, full] = await askDuckDb(fileOf([RUN], [FULL]), "SELECT * FROM file");
  expect(bare).toMatchObject({ id: "run_1", ended_at: null, tags: null, depth: null, metadata: null });
  expect(full).toEqual({
    id: "run_2",
    started_at: "2026-03-01 10:00:00.123+00",
    ended_at: "2026-03-01 10:00:09+00",
    recorded_at: "2026-03-01 10:00:01+00",
    charged_at: "2026-03-01 10:00:01+00",
    model: "acme/m1",
    provider: "acme",
    variant: "batch",
    action: "summarize",
    key_id: "key_1",
    user_id: "user",
    workflow_id: "wf",
    deployment_id: "dep",
    department_id: "dpt",
    customer_id: "cust",
    tags: '{"team":"😀 ops"}',
    chain_id: "chain",
    parent_run_id: "run_1",
    depth: "2",
    input_tokens: "9007199254740991",
    output_tokens: "5",
    cache_read_tokens: "7",
    cache_write_tokens: "0",
    cache_write_1h_tokens: "0",
    audio_input_tokens: "0",
    image_input_tokens: "0",
    reasoning_tokens: "0",
    audio_output_tokens: "0",
    image_output_tokens: "0",
    units: '{"search":3}',
    cost_usd: "12345678901.123456789",
    cost_source: "price_book",
    price_revision: "4",
    cost_breakdown: '[{"class":"input","quantity":1,"usd_per_mtok":"1","cost_usd":"1.00"}]',
    adjusted_usd: "-0.000000003",
    net_cost_usd: "12345678901.123456786",
    uncovered_usd: "0.500000000",
    reservation_id: "res_1",
    approval_id: "apr_1",
    incurred: true,
    outcome: "unreported",
    estimated: true,
    requested_model: "large",
    fallback: "cheaper",
    charges: '[{"kind":"budget","id":"bud_1","amount_usd":"1.00"}]',
    shadow: '[{"status":402,"code":"budget_exceeded","details":{}}]',
    metadata: '{"count":12345678901234567890}',
  });
});

test("every field of a run has a column", async () => {
  const [row = {}] = await askDuckDb(fileOf([FULL]), "SELECT * FROM file");
  const { chain, usage, ...fields } = FULL;
  const shown = Object.keys({ ...fields, ...chain, ...usage });
  expect(shown.filter((name) => !Object.hasOwn(row, name))).toEqual([]);
});

test("money and times have types of their own", async () => {
  const types = await askDuckDb(
    fileOf([RUN]),
    "SELECT column_name AS name, column_type AS type FROM (DESCRIBE file)",
  );
  const typeOf = Object.fromEntries(types.map(({ name, type }) => [String(name), type]));
  expect(typeOf).toMatchObject({
    cost_usd: "DECIMAL(38,9)",
    net_cost_usd: "DECIMAL(38,9)",
    started_at: "TIMESTAMP WITH TIME ZONE",
    input_tokens: "BIGINT",
    incurred: "BOOLEAN",
  });
});

test("sums of any costs are exact to the nano-dollar, over groups of any size", async () => {
  const cost = fc.oneof(fc.bigInt(0n, 10n ** 7n), fc.bigInt(0n, 10n ** 18n));
  await fc.assert(
    fc.asyncProperty(
      fc.array(cost, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 9 }),
      async (costs, rows) => {
        const file = new ParquetFile<bigint>([{ name: "cost_usd", kind: "usd", of: (nanos) => nanos }], {
          rows,
          characters: 1000,
        });
        const bytes = Buffer.concat([file.add(costs), file.end()]);
        const [sums] = await askDuckDb(
          bytes,
          "SELECT count(*) AS runs, sum(cost_usd) * 1000000000 AS nanos FROM file",
        );
        expect(sums?.["runs"]).toBe(String(costs.length));
        const sum = costs.reduce((total, nanos) => total + nanos, 0n);
        expect(String(sums?.["nanos"]).replace(/\.0*$/, "")).toBe(String(sum));
      },
    ),
    { numRuns: 15 },
  );
});

test("a file of many runs comes in pieces, and its sums are exact", async () => {
  const file = shownRunsFile();
  const pieces: Uint8Array[] = [];
  for (let page = 0; page < 50; page += 1) {
    const runs = Array.from({ length: 500 }, (_, at): RunResource => {
      const number = page * 500 + at;
      return { ...RUN, id: `run_${number}`, cost_usd: formatUsd(BigInt(number) * 1_000_000_007n) };
    });
    pieces.push(file.add(runs));
  }
  expect(pieces.filter(({ length }) => length > MAGIC_BYTES).length).toBe(2);
  pieces.push(file.end());
  const [sums] = await askDuckDb(
    Buffer.concat(pieces),
    "SELECT count(*) AS runs, count(DISTINCT id) AS ids, CAST(sum(cost_usd) AS VARCHAR) AS cost FROM file",
  );
  const total = (25_000n * 24_999n * 1_000_000_007n) / 2n;
  expect(sums).toMatchObject({ runs: "25000", ids: "25000" });
  expect(BigInt(String(sums?.["cost"]).replace(".", ""))).toBe(total);
});

test("long metadata ends a group early", () => {
  const file = shownRunsFile();
  const long: RunResource = { ...RUN, metadata: { text: "x".repeat(1_000_000) } };
  expect(file.add(Array.from({ length: 8 }, () => long)).length).toBeGreaterThan(MAGIC_BYTES);
});

test("a file without runs has the columns", async () => {
  expect(await askDuckDb(fileOf([]), "SELECT count(*) AS runs, sum(cost_usd) AS cost FROM file")).toEqual([
    { runs: "0", cost: null },
  ]);
});

test("filters by any text find every run that has it", async () => {
  const names = ["a", "￿", "😀", "𐀀", "é"];
  const bytes = fileOf(names.map((model, at) => ({ ...RUN, id: `run_${at}`, model })));
  for (const name of names) {
    const found = await askDuckDb(bytes, `SELECT model FROM file WHERE model = '${name}'`);
    expect(found).toEqual([{ model: name }]);
  }
});
