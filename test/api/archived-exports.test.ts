import { describe, expect, test } from "vitest";
import { archiveAll, bucket, filesOf, sendRuns } from "../support/archive.ts";
import { HOUR, put, S3 } from "../support/exports.ts";
import { newSpender, type Spender } from "../support/ledger.ts";
import { rowsOf } from "../support/rows.ts";
import { call, env } from "../support/worker.ts";
import { costOf, manifests, spent, stored, textOf } from "../support/written-exports.ts";
import { evict } from "../support/evict.ts";

const DAY = 24 * HOUR;
describe("a window that waits while its runs are archived", () => {
  const runBlocksOf = (org: Spender) => rowsOf(org.id, "SELECT 1 FROM run_blocks WHERE state = 'runs'");
  const adjust = (org: Spender, id: string) =>
    call("POST", `/v1/runs/${id}/adjustments`, {
      key: org.key,
      body: { amount_usd: "-0.0000001", reason: "credit" },
    });

  const PARTS = ["a", "b", "c"];

  /** Its export fails, and all its runs are in a file of the archive, in one block that has parts of three windows. */
  async function newWaiting(): Promise<Spender> {
    const org = await newSpender();
    await put(org, "late", { destination: S3 });
    await org.advance(1);
    for (const part of PARTS) {
      expect((await sendRuns(org, part, 200)).body).toMatchObject({ accepted: 200 });
      await org.advance(HOUR);
    }
    expect(await runBlocksOf(org)).toHaveLength(1);
    expect((await adjust(org, "a-1")).status).toBe(201);
    await archiveAll(org, async () => (await runBlocksOf(org)).length === 0);
    expect(await filesOf(org.id)).toHaveLength(1);
    return org;
  }

  test("closes a window whose runs are archived and not in memory", async () => {
    const org = await newSpender();
    await put(org, "late", { destination: S3 });
    // The first window has no runs, so that none are read for it.
    await org.advance(HOUR);
    for (const part of PARTS) {
      expect((await sendRuns(org, part, 200)).body).toMatchObject({ accepted: 200 });
      await org.advance(HOUR);
    }
    await archiveAll(org, async () => (await runBlocksOf(org)).length === 0);
    await evict(env.ORG.getByName(org.id));
    await put(org, "late");
    await org.advance(HOUR);
    await expect
      .poll(async () => (await org.send("GET", "exports/late")).body.lag_seconds)
      .toBeLessThan(HOUR);
    const all = await manifests(org);
    expect(all.reduce((sum, { rows }) => sum + rows, 0)).toBe(600);
    expect(all.filter(({ rows }) => rows > 0)).toHaveLength(3);
  });

  test("is whole, with adjustments of archived runs, and retention leaves the file until then", async () => {
    const org = await newWaiting();
    expect((await adjust(org, "b-2")).status).toBe(201);
    const total = await spent(org);
    await org.send("PUT", "retention-policy", { runs_days: 3, audit_days: 90, deliveries_days: 7 });
    for (let day = 0; day < 5; day += 1) await org.advance(DAY);
    expect(await filesOf(org.id)).toHaveLength(1);
    expect(await runBlocksOf(org)).toEqual([]);
    await put(org, "late");
    await org.advance(HOUR);
    await expect
      .poll(async () => (await org.send("GET", "exports/late")).body.lag_seconds)
      .toBeLessThan(HOUR);
    const all = await manifests(org);
    expect(all.reduce((sum, { rows }) => sum + rows, 0)).toBe(602);
    expect(all.filter(({ files }) => files.some(({ kind }) => kind === "runs"))).toHaveLength(3);
    expect(costOf(all)).toBe(total);
    const files = await stored(org);
    const lines = [...files]
      .filter(([key]) => /\/(runs|corrections)-/.test(key))
      .flatMap(([, bytes]) => textOf(bytes).trimEnd().split("\n"))
      .map((line) => JSON.parse(line) as { id: string; run_id?: string; started_at: string });
    const ids = lines.filter(({ run_id }) => run_id === undefined).map(({ id }) => id);
    expect(new Set(ids)).toEqual(
      new Set(PARTS.flatMap((part) => Array.from({ length: 200 }, (_, at) => `${part}-${at}`))),
    );
    const corrections = lines.filter(({ run_id }) => run_id !== undefined);
    expect(corrections.map(({ run_id, started_at }) => [run_id, Date.parse(started_at)])).toEqual([
      ["a-1", Date.UTC(2026, 10, 10, 0, 0, 1)],
      ["b-2", Date.UTC(2026, 10, 10, 0, 0, 2)],
    ]);
    await org.advance(DAY);
    await expect.poll(() => filesOf(org.id)).toEqual([]);
    expect((await call("GET", "/v1/runs/a-5", { key: org.key })).status).toBe(404);
  });

  test("says that runs cannot be read, and is written once they can", async () => {
    const org = await newWaiting();
    const [name = ""] = await filesOf(org.id);
    const file = (await (await bucket().get(name))?.arrayBuffer()) ?? new ArrayBuffer();
    await bucket().delete(name);
    await put(org, "late");
    await org.advance(1);
    const failing = async () => (await org.send("GET", "exports/late")).text;
    await expect.poll(failing).toContain("cannot be read now: 600, from number 1 on");
    expect(await manifests(org)).toEqual([]);
    await bucket().put(name, file);
    await org.advance(HOUR);
    await expect.poll(async () => (await manifests(org)).length).toBeGreaterThan(0);
    await expect.poll(async () => costOf(await manifests(org))).toBe(await spent(org));
  });
});
