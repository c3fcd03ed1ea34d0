import { encodeFrame } from "../../../domain/run-block/frame.ts";
import type { RunRecord } from "../../../domain/run-block/record.ts";
import { type BlockEntry, type EntryRow, fromEntryRow, lastSeqOf } from "./entry.ts";

/**
 * Runs that an earlier version stored as rows of `runs`. They come before all blocks, and are packed a part at a time.
 */

const TOGETHER = 1024;

type UnpackedRow = {
  id: string;
  started_at: number;
  charged_at: number;
  recorded_at: number;
  chain_id: string | null;
  cost_text: string;
  data: string;
};

/** The content of a row's `data`, in order. */
type UnpackedData = [
  model: string,
  action: string | null,
  workflowId: string | null,
  deploymentId: string | null,
  departmentId: string | null,
  customerId: string | null,
  inputTokens: number,
  outputTokens: number,
  charges: string,
  endedAt: number | null,
  parentRunId: string | null,
  depth: number,
  extra: object | null,
];

export function readUnpackedEntries(sql: SqlStorage): BlockEntry[] {
  return sql
    .exec<EntryRow>(
      `SELECT 'rows' AS state, MIN(seq) AS first_seq, COUNT(*) AS runs, SUM(octet_length(data)) AS bytes,
         MIN(started_at) AS started_min, MAX(started_at) AS started_max, MIN(recorded_at) AS recorded_min,
         MAX(recorded_at) AS recorded_max, CAST(MIN(cost) AS TEXT) AS cost_min, CAST(MAX(cost) AS TEXT) AS cost_max
       FROM runs GROUP BY seq / ${TOGETHER} ORDER BY seq`,
    )
    .toArray()
    .map(fromEntryRow);
}

export function readUnpacked(sql: SqlStorage, entry: BlockEntry): Uint8Array<ArrayBuffer> {
  const rows = sql.exec<UnpackedRow>(
    `SELECT id, started_at, charged_at, recorded_at, chain_id, CAST(cost AS TEXT) AS cost_text, data FROM runs
     WHERE seq >= ? AND seq <= ? ORDER BY seq`,
    entry.firstSeq,
    lastSeqOf(entry),
  );
  return encodeFrame(rows.toArray().map(fromUnpacked));
}

export function deleteUnpacked(sql: SqlStorage, lastSeq: number): void {
  sql.exec("DELETE FROM runs WHERE seq <= ?", lastSeq);
}

function fromUnpacked(row: UnpackedRow): RunRecord {
  const data = JSON.parse(row.data) as UnpackedData;
  return {
    id: row.id,
    startedAt: row.started_at,
    chargedAt: row.charged_at,
    recordedAt: row.recorded_at,
    chainId: row.chain_id,
    cost: BigInt(row.cost_text),
    model: data[0],
    action: data[1],
    workflowId: data[2],
    deploymentId: data[3],
    departmentId: data[4],
    customerId: data[5],
    inputTokens: data[6],
    outputTokens: data[7],
    charges: data[8],
    endedAt: data[9],
    parentRunId: data[10],
    depth: data[11],
    extra: data[12],
    userId: null,
    provider: null,
    keyId: null,
    outcome: null,
    tags: null,
  };
}
