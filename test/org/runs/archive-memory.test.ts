import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { runSegments } from "../../../src/org/runs/segments/segments.ts";
import { insertRow } from "../../../src/storage/rows.ts";
import { evict } from "../../support/evict.ts";
import { env, newOrg } from "../../support/worker.ts";

/** What an object remembers of runs in the archive, with made-up files of the usual size. */

const [FILES, SEGMENTS, ROWS] = [300, 32, 512];
const START = Date.UTC(2026, 10, 10);
const MOST_BYTES_EACH = 60;
const MOST_OPENED = 4096;

function writeFiles(sql: SqlStorage, orgId: string): void {
  for (let file = 0; file < FILES; file += 1) {
    const first = 1 + file * SEGMENTS * ROWS;
    const zones = {
      started_min: START + file,
      started_max: START + file + 1,
      recorded_min: START + file,
      recorded_max: START + file + 1,
      cost_min: "1000",
      cost_max: "12345678901234",
    };
    const name = `${orgId}/runs/${String(first).padStart(12, "0")}-${String(first + SEGMENTS * ROWS - 1).padStart(12, "0")}.segments`;
    const size = { runs: SEGMENTS * ROWS, bytes: SEGMENTS * 20_000 };
    insertRow(sql, "run_files", {
      first_seq: first,
      state: "made",
      name,
      ...size,
      segments: SEGMENTS,
      ...zones,
    });
    for (let at = 0; at < SEGMENTS; at += 1) {
      const place = { first_seq: first + at * ROWS, runs: ROWS, starts_at: at * 20_000, bytes: 20_000 };
      const empty = new ArrayBuffer(0);
      const digest = "0".repeat(32);
      insertRow(sql, "run_file_segments", { ...place, digest, ...zones, names: empty, hashes: empty });
    }
  }
}

/** At least what a value takes in the engine: numbers and references 8 bytes, others a header of 16 before their content. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return 24 + value.length;
  if (typeof value === "number") return 24;
  if (typeof value === "bigint") return 32;
  if (typeof value !== "object" || value === null) return 8;
  return Object.values(value).reduce((sum: number, one) => sum + 8 + sizeOf(one), 24);
}

test("an object remembers fewer than 60 bytes of an archived segment, also after it has read about all of them", async () => {
  const { id } = await newOrg();
  const stub = env.ORG.getByName(id);
  await runInDurableObject(stub, (_object, { storage }) => writeFiles(storage.sql, id));
  await evict(stub);
  await runInDurableObject(stub, (_object, { storage: { sql } }) => {
    const { list } = runSegments(sql);
    expect(list.countOpened).toBe(0);
    expect(list.ranges.length).toBe(FILES);
    const bytes = list.ranges.reduce((sum, range) => sum + sizeOf(range), 0);
    expect(bytes / (FILES * SEGMENTS)).toBeLessThan(MOST_BYTES_EACH);
    let [count, rows] = [0, 0];
    for (const segment of list.forward(() => true)) {
      count += 1;
      rows += segment.rows;
    }
    expect([count, rows]).toEqual([FILES * SEGMENTS, FILES * SEGMENTS * ROWS]);
    expect(list.countOpened).toBeGreaterThan(0);
    expect(list.countOpened).toBeLessThanOrEqual(MOST_OPENED);
  });
});

test("a row of which segments are missing is an error, and not fewer runs", async () => {
  const { id } = await newOrg();
  await runInDurableObject(env.ORG.getByName(id), (_object, { storage }) => writeFiles(storage.sql, id));
  await evict(env.ORG.getByName(id));
  await runInDurableObject(env.ORG.getByName(id), (_object, { storage: { sql } }) => {
    sql.exec("DELETE FROM run_file_segments WHERE first_seq = ?", 1 + ROWS);
    expect(() => runSegments(sql).with(1)).toThrow("are missing: 31 of 32");
  });
});
