import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { findFirstUnexported } from "../../src/org/exports/hold.ts";
import { followEmptiedLogs } from "../../src/org/exports/logs.ts";
import { waitingSince } from "../../src/org/exports/lag.ts";
import { recordStep, type ExportStep, type WrittenFile } from "../../src/org/exports/record.ts";
import { isOfSpans, loadExport, openWindow } from "../../src/org/exports/store.ts";
import type { Tx } from "../../src/org/kernel/door.ts";
import { HOUR, put, S3 } from "../support/exports.ts";
import { readCsv } from "../support/focus-facts.ts";
import { newSpender, type Spender } from "../support/ledger.ts";
import { rowsOf } from "../support/rows.ts";
import { call, env } from "../support/worker.ts";
import { costOf, manifests, spent, stored, textOf } from "../support/written-exports.ts";

const DAY = 24 * HOUR;

function inObject<T>(org: Spender, use: (sql: SqlStorage) => T): Promise<T> {
  return runInDurableObject(env.ORG.getByName(org.id), (_object, state) => use(state.storage.sql));
}

describe("a scheduled export", () => {
  test("writes each window once it is over, under names that the window gives, with a manifest", async () => {
    const org = await newSpender();
    expect((await put(org, "hourly")).status).toBe(200);
    let now = await org.advance(1);
    await org.run({ id: "a", cost_usd: "1.000000001", started_at: new Date(now).toISOString() });
    expect([...(await stored(org)).keys()]).toEqual([]);
    now = await org.advance(HOUR);
    await org.run({ id: "b", cost_usd: "2", started_at: new Date(now).toISOString() });
    await org.advance(2 * HOUR);
    const { data } = (await org.send("GET", "exports/hourly/windows")).body;
    expect(data.map(({ status }: { status: string }) => status)).toEqual(data.map(() => "written"));
    const start = Date.parse(data.at(-1).from as string);
    expect(start % (HOUR * 1000)).toBe(0);
    const compact = (ms: number) => new Date(ms).toISOString().replaceAll(/[-:]|\.000/g, "");
    const folder = `usage/hourly/${compact(start)}_${compact(start + HOUR * 1000)}`;
    expect(data.at(-1).manifest).toBe(`${folder}/manifest.json`);
    const files = await stored(org);
    const line = textOf(files.get(`${folder}/runs-00001.ndjson`));
    expect(JSON.parse(line)).toMatchObject({ id: "a", cost_usd: "1.000000001", adjusted_usd: "0.00" });
    const all = await manifests(org);
    expect(all.length).toBe(data.length);
    expect(costOf(all)).toBe(await spent(org));
    expect(all.reduce((sum, { rows }) => sum + rows, 0)).toBe(2);
  });

  test("has adjustments and replaced estimates as corrections, so that its sum is the ledger's", async () => {
    const org = await newSpender();
    await put(org, "lines");
    await put(org, "table", { format: "csv" });
    await put(org, "focus", { format: "focus", focus_version: "1.4" });
    await put(org, "parquet", { format: "parquet" });
    const decided = await org.decide("2", { on_expiry: "charge", hold_seconds: 30, customer_id: "c" });
    const now = await org.advance(31);
    const started_at = new Date(now).toISOString();
    await org.run({ id: "r", cost_usd: "5", workflow_id: "=w", started_at });
    await org.advance(HOUR);
    const replacing = {
      id: "late",
      reservation_id: decided.body.reservation.id,
      cost_usd: "0.5",
      customer_id: "c",
    };
    expect((await org.run({ ...replacing, started_at })).status).toBe(201);
    const body = { amount_usd: "-1.25", reason: "+credit" };
    expect((await call("POST", "/v1/runs/r/adjustments", { key: org.key, body })).status).toBe(201);
    await org.advance(2 * HOUR);
    const files = await stored(org);
    const all = await manifests(org);
    expect(costOf(all)).toBe(4n * (await spent(org)));
    const find = (name: string, file: RegExp) =>
      [...files]
        .filter(([key]) => key.startsWith(`usage/${name}/`) && file.test(key))
        .map(([, bytes]) => textOf(bytes));
    const lines = find("lines", /corrections/).flatMap((text) => text.trimEnd().split("\n"));
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { kind: "adjustment", run_id: "r", cost_usd: "-1.25", workflow_id: "=w", reason: "+credit" },
      { kind: "replacement", cost_usd: "-2.00", replaced_by_run_id: "late", customer_id: "c" },
    ]);
    const rows = find("table", /corrections/).flatMap((text) => readCsv(text).rows);
    expect(rows.map((row) => [row["cost_usd"], row["reason"], row["workflow_id"]])).toEqual([
      ["-1.25", "'+credit", "'=w"],
      ["-2.00", "", ""],
    ]);
    const charges = find("focus", /charges/).flatMap((text) => readCsv(text).rows);
    expect(charges.reduce((sum, row) => sum + nanosOf(row["BilledCost"]), 0n)).toBe(await spent(org));
    expect(find("parquet", /corrections-.*\.parquet$/)).toHaveLength(1);
  });

  test("cuts a large window into files", async () => {
    const org = await newSpender();
    await put(org, "large");
    const now = await org.advance(1);
    const large = (part: number) =>
      Array.from({ length: 7 }, (_, at) => ({
        id: `${part}-${at}`,
        started_at: new Date(now).toISOString(),
        model: "m",
        usage: { input_tokens: 1, output_tokens: 1 },
        cost_usd: "0.1",
        metadata: { text: "x".repeat(1_000_000) },
      }));
    for (const part of [1, 2]) expect((await org.bulk(large(part))).body).toMatchObject({ accepted: 7 });
    await org.advance(HOUR);
    const all = await manifests(org);
    const files = all.flatMap((manifest) => manifest.files);
    expect(files.map(({ name }) => name)).toEqual(["runs-00001.ndjson", "runs-00002.ndjson"]);
    expect(files.reduce((sum, { rows }) => sum + rows, 0)).toBe(14);
    expect(costOf(all)).toBe(await spent(org));
  });

  test("tries a failed window again and never skips it, and retention waits for it", async () => {
    const org = await newSpender();
    await put(org, "failing", { destination: S3 });
    await org.send("PUT", "retention-policy", { runs_days: 3, audit_days: 90, deliveries_days: 7 });
    const now = await org.advance(1);
    await org.run({ id: "kept", started_at: new Date(now).toISOString() });
    const body = { amount_usd: "-0.5", reason: "credit" };
    await call("POST", "/v1/runs/kept/adjustments", { key: org.key, body });
    await org.advance(HOUR);
    const failing = (await org.send("GET", "exports/failing")).body;
    expect(failing).toMatchObject({ last_error: "connection_failed" });
    const [window] = (await org.send("GET", "exports/failing/windows")).body.data;
    expect(window).toMatchObject({
      status: "pending",
      last_error: "connection_failed",
      files: 0,
      written_at: null,
    });
    expect(Date.parse(window.next_attempt_at as string)).toBeGreaterThan(now);
    expect(await inObject(org, waitingSince)).toBe(Date.parse(window.to as string));
    for (let day = 0; day < 5; day += 1) await org.advance(DAY);
    const later = (await org.send("GET", "exports/failing/windows")).body.data;
    expect(later).toHaveLength(1);
    expect(later[0].attempts).toBeGreaterThan(window.attempts as number);
    expect((await org.send("GET", "exports/failing")).body.lag_seconds).toBeGreaterThan(4 * DAY);
    expect((await call("GET", "/v1/runs/kept", { key: org.key })).status).toBe(200);
    await put(org, "failing");
    await org.advance(HOUR);
    expect(costOf(await manifests(org))).toBe(500_000_000n);
    await org.advance(DAY);
    expect((await call("GET", "/v1/runs/kept", { key: org.key })).status).toBe(404);
    expect(await rowsOf(org.id, "SELECT * FROM run_adjustments")).toEqual([]);
    await put(org, "failing", { destination: S3 });
    await call("POST", "/v1/runs", { key: org.key, body: oneRun("again", await org.advance(1)) });
    const adjusted = await call("POST", "/v1/runs/again/adjustments", { key: org.key, body });
    expect(adjusted.status).toBe(201);
    await put(org, "failing");
    await org.advance(2 * HOUR);
    expect(costOf(await manifests(org))).toBe(1_000_000_000n);
  });

  /** An export whose only window is over and cannot be written, with one run of a dollar in it. */
  async function newStuck(): Promise<Spender> {
    const org = await newSpender();
    await put(org, "stuck", { destination: S3 });
    await org.run({ id: "a", started_at: new Date(await org.advance(1)).toISOString() });
    await org.advance(HOUR);
    return org;
  }

  test("that is changed writes its open window again, from the first file", async () => {
    const org = await newStuck();
    const facts = {
      name: "runs-00001.ndjson",
      kind: "runs",
      rows: 1,
      cost_usd: "1.00",
      bytes: 1,
      sha256: "0",
    };
    await rowsOf(
      org.id,
      "INSERT INTO export_files (window, file, data) SELECT seq, 1, ? FROM export_windows",
      JSON.stringify(facts),
    );
    await rowsOf(
      org.id,
      "UPDATE export_windows SET files = 1, rows = 1, cost = '1000000000', run_from = run_to",
    );
    expect((await put(org, "stuck")).status).toBe(200);
    await org.advance(HOUR);
    const all = await manifests(org);
    expect(costOf(all)).toBe(1_000_000_000n);
    expect(all.flatMap(({ files }) => files.map(({ name, rows }) => [name, rows]))).toEqual([
      ["runs-00001.ndjson", 1],
    ]);
  });

  test("counts a file once, and none that was written before it was changed", async () => {
    const org = await newStuck();
    const step = () =>
      inObject(org, (sql): ExportStep => {
        const [row, window] = [loadExport(sql, "stuck"), openWindow(sql, "stuck")];
        if (row === null || isOfSpans(row) || window === null) throw new Error("nothing is open");
        return { row, window };
      });
    const bytes = new Uint8Array(1);
    const record = ({ row, window }: ExportStep) =>
      inObject(org, (sql) => {
        const next = {
          run: window.run_to,
          adjustment: window.adjustment_to,
          replacement: window.replacement_to,
        };
        const file = { bytes, rows: 1, nanos: 1_000_000_000n, sha256: "0", media: "application/x-ndjson" };
        const made: WrittenFile = { name: "runs-00001.ndjson", file, part: { kind: "runs", next } };
        recordStep({ sql, now: 1, schedule: () => undefined } as unknown as Tx, { row, window }, made);
        return openWindow(sql, "stuck");
      });
    const before = await step();
    expect((await put(org, "stuck", { destination: { ...S3, bucket: "other" } })).status).toBe(200);
    expect(await record(before)).toMatchObject({ files: 0, rows: 0, cost: "0" });
    const current = await step();
    expect(await record(current)).toMatchObject({ files: 1, rows: 1, cost: "1000000000" });
    expect(await record(current)).toMatchObject({ files: 1, rows: 1, cost: "1000000000" });
  });

  test("goes on from the first entry of a log that retention has emptied", async () => {
    const org = await newSpender();
    await put(org, "lines");
    const places = await inObject(org, (sql) => {
      sql.exec("UPDATE exports SET run_from = 7, adjustment_from = 8, replacement_from = 9");
      followEmptiedLogs(sql);
      return findFirstUnexported(sql);
    });
    expect(places).toEqual({ run: 1, adjustment: 1, replacement: 1 });
  });

  test("lets retention go on when it is deleted, and leaves what it wrote", async () => {
    const org = await newSpender();
    await put(org, "gone", { destination: S3 });
    await org.send("PUT", "retention-policy", { runs_days: 3, audit_days: 90, deliveries_days: 7 });
    await call("POST", "/v1/runs", { key: org.key, body: oneRun("kept", await org.advance(1)) });
    await org.advance(5 * DAY);
    expect((await call("GET", "/v1/runs/kept", { key: org.key })).status).toBe(200);
    expect((await org.send("DELETE", "exports/gone")).status).toBe(204);
    await org.advance(1);
    expect((await call("GET", "/v1/runs/kept", { key: org.key })).status).toBe(404);
    expect((await org.send("GET", "exports/gone")).status).toBe(404);
    expect((await org.send("DELETE", "exports/gone")).status).toBe(404);
    expect((await org.send("GET", "exports/gone/windows")).status).toBe(404);
    expect(await rowsOf(org.id, "SELECT * FROM export_windows")).toEqual([]);
  });
});

const nanosOf = (text = "0") => {
  const [whole = "", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(9, "0"));
};
const oneRun = (id: string, now: number) => ({
  id,
  started_at: new Date(now).toISOString(),
  model: "m",
  usage: { input_tokens: 1, output_tokens: 1 },
  cost_usd: "1",
});
