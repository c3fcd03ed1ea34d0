import { parquetReadObjects } from "hyparquet";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { eachFileSegment, encodeFileSegments } from "../../../../src/storage/segments/file-metadata.ts";
import { encodeRowGroup } from "../../../../src/domain/run/segment/row-group.ts";
import type { RunRecord } from "../../../../src/domain/run/segment/record.ts";
import { ArchiveFile } from "../../../../src/domain/run/parquet/archive-file.ts";
import { runRecord } from "../../../support/run-records.ts";
import { askDuckDb } from "./duckdb.ts";

function aRun(at: number, more: Partial<RunRecord> = {}): RunRecord {
  return runRecord(`run-${at}`, {
    startedAt: 1_760_000_000_000 + at,
    chargedAt: 1_760_000_100_000,
    recordedAt: 1_760_000_100_000,
    model: "acme/m1",
    inputTokens: at,
    outputTokens: 2,
    cost: BigInt(at) * 1_000_000_007n + 1n,
    ...more,
  });
}

function fileOf(batches: readonly (readonly RunRecord[])[]) {
  const file = new ArchiveFile();
  const blocks = batches.map((runs) => encodeRowGroup(runs).data);
  for (const block of blocks) file.add(block);
  const steps = file.parts(7);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return { ...step.value, blocks, sums: file.sums };
}

const BATCHES = [0, 1, 2].map((batch) => Array.from({ length: 700 }, (_, at) => aRun(batch * 700 + at)));

test("DuckDB gets the sums of a file to the nano-dollar", async () => {
  const { bytes, sums } = fileOf(BATCHES);
  const [found] = await askDuckDb(
    bytes,
    `SELECT count(*) AS runs, CAST(sum(cost_usd) AS VARCHAR) AS cost, sum(input_tokens) AS input,
       sum(output_tokens) AS output, count(DISTINCT id) AS ids FROM file`,
  );
  expect(BigInt(String(found?.["cost"]).replace(".", ""))).toBe(sums.cost);
  expect(found).toMatchObject({
    runs: "2100",
    ids: "2100",
    input: String(sums.inputTokens),
    output: String(sums.outputTokens),
  });
});

test("a run in a file has the names that the API has for its fields", async () => {
  const run = aRun(5, {
    chainId: "chain",
    parentRunId: "run-1",
    depth: 2,
    customerId: "cust",
    userId: "user",
    provider: "acme",
    keyId: "key_1",
    tags: '{"team":"ops"}',
    charges: "bud_1 bud_2",
    outcome: "unreported",
    extra: {
      priced: 3,
      variant: "batch",
      parts: { cache_read: 4 },
      units: { search: 2 },
      reservation: "res_1",
      estimated: true,
      requested: "large",
      fallback: "cheaper",
      metadata: { a: 1 },
      uncovered: "17",
    },
  });
  const [row] = await askDuckDb(fileOf([[run]]).bytes, "SELECT * FROM file");
  expect(row).toMatchObject({
    id: "run-5",
    chain_id: "chain",
    depth: "2",
    customer_id: "cust",
    user_id: "user",
    provider: "acme",
    key_id: "key_1",
    tags: '{"team":"ops"}',
    charges: "bud_1 bud_2",
    cache_read_tokens: "4",
    units: '{"search":2}',
    cost_source: "price_book",
    variant: "batch",
    reservation_id: "res_1",
    outcome: "unreported",
    estimated: true,
    requested_model: "large",
    fallback: "cheaper",
    incurred: false,
    metadata: '{"a":1}',
    uncovered_usd: "0.000000017",
  });
});

test("the blocks are in the file as they were, where its notes say, and other readers find all rows", async () => {
  const { bytes, segmentsAt, blocks } = fileOf(BATCHES);
  let at = segmentsAt;
  for (const block of blocks) {
    expect(bytes.subarray(at, at + block.length)).toEqual(block);
    at += block.length;
  }
  const rows = await parquetReadObjects({ file: bytes.buffer, columns: ["id", "cost_usd"] });
  expect(rows.map(({ id }) => id as string)).toEqual(BATCHES.flat().map(({ id }) => id));
  const notes = await notesOf(bytes);
  expect(notes).toEqual({
    "sluice.first_seq": "7",
    "sluice.blocks_at": String(segmentsAt),
    "sluice.block_lengths": blocks.map(({ length }) => length).join(" "),
  });
});

async function notesOf(bytes: Uint8Array<ArrayBuffer>): Promise<Record<string, string>> {
  const { parquetMetadata } = await import("hyparquet");
  const { key_value_metadata: notes = [] } = parquetMetadata(bytes.buffer);
  return Object.fromEntries(notes.map(({ key, value }) => [key, value ?? ""]));
}

test("the same blocks always make the same file", () => {
  expect(fileOf(BATCHES).bytes).toEqual(fileOf(BATCHES).bytes);
});

test("what an object knows of a file's blocks is read back as it was", () => {
  const moment = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 });
  const group = fc
    .record({
      rows: fc.nat(),
      bytes: fc.nat(),
      nameBytes: fc.nat(),
      startedMin: moment,
      lasted: fc.nat(),
      recordedMin: moment,
      recordedFor: fc.nat(),
      costMin: fc.bigInt(0n, 2n ** 70n),
      costMax: fc.bigInt(0n, 2n ** 70n),
      digest: fc.uint8Array({ minLength: 16, maxLength: 16 }),
    })
    .map(({ lasted, recordedFor, ...rest }) => ({
      ...rest,
      startedMax: rest.startedMin + lasted,
      recordedMax: rest.recordedMin + recordedFor,
    }));
  fc.assert(
    fc.property(fc.array(group, { maxLength: 9 }), (groups) => {
      const read: object[] = [];
      eachFileSegment(encodeFileSegments(groups), (segment) => read.push(segment));
      expect(read).toEqual(groups);
    }),
  );
});
