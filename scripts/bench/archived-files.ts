import { insertRow } from "../../src/storage/rows.ts";

/** Made-up files of the archive, as an object notes them: as many segments of 512 runs as a file of full size has. */

export const [FILE_RUNS, SEGMENT_RUNS] = [16_384, 512];
const SEGMENT_BYTES = 16_000;
const MINUTE_MS = 60_000;

/** Notes files up to a number of runs, after those that are there. */
export function noteFiles(sql: SqlStorage, runs: number): void {
  const [{ next } = { next: 1 }] = sql
    .exec<{ next: number }>("SELECT IFNULL(MAX(first_seq + runs), 1) AS next FROM run_files")
    .toArray();
  for (let first = next; first <= runs; first += FILE_RUNS) noteFile(sql, first);
}

function noteFile(sql: SqlStorage, first: number): void {
  const recorded = Date.UTC(2026, 0, 1) + Math.floor(first / FILE_RUNS) * MINUTE_MS;
  const zones = {
    started_min: recorded - MINUTE_MS,
    started_max: recorded,
    recorded_min: recorded,
    recorded_max: recorded + MINUTE_MS,
    cost_min: "1250",
    cost_max: "48250000",
  };
  const segments = FILE_RUNS / SEGMENT_RUNS;
  const seqs = [first, first + FILE_RUNS - 1].map((seq) => String(seq).padStart(12, "0"));
  const name = `org_01M7TY31DZCEN5K84QP98N6JJY/runs/${seqs.join("-")}.segments`;
  const size = { runs: FILE_RUNS, bytes: segments * SEGMENT_BYTES, segments };
  insertRow(sql, "run_files", { first_seq: first, state: "made", name, ...size, ...zones });
  for (let at = 0; at < segments; at += 1) {
    insertRow(sql, "run_file_segments", {
      first_seq: first + at * SEGMENT_RUNS,
      runs: SEGMENT_RUNS,
      starts_at: at * SEGMENT_BYTES,
      bytes: SEGMENT_BYTES,
      digest: "0123456789abcdef0123456789abcdef",
      ...zones,
      names: new Uint8Array(),
      hashes: new Uint8Array(),
    });
  }
}
