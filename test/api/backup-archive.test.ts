import { randomBytes } from "node:crypto";
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { isRefusal } from "../../src/contract/refusal.ts";
import { fetchingOrRefusing } from "../../src/storage/needs-fetch.ts";
import { checkArchivedAfter } from "../../src/storage/segments/archive/export.ts";
import { runSegments } from "../../src/org/runs/segments/segments.ts";
import { bindArchive } from "../../src/storage/segments/archive-binding.ts";
import { archiveEverything, bucket, filesOf, newArchivist, sendRuns } from "../support/archive.ts";
import { askBackup, backup, forget, sendArchive } from "../support/backup.ts";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import { rowsOf } from "../support/rows.ts";
import { call, env, operatorKey } from "../support/worker.ts";

/** Backups of orgs whose runs are in the archive. */

const OLD = 1000;

async function listed(key: string): Promise<Record<string, unknown>[]> {
  const runs: Record<string, unknown>[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page = await call("GET", `/v1/runs?limit=200${cursor === "" ? "" : `&cursor=${cursor}`}`, { key });
    expect(page.status).toBe(200);
    runs.push(...page.body.data);
    cursor = page.body.next_cursor;
  }
  return runs;
}

/** Every run, and what all of them add up to. */
async function seenOf(org: Spender) {
  const report = await org.send(
    "GET",
    "usage/report?from=2026-11-01T00:00:00Z&to=2026-12-01T00:00:00Z&group_by=model,day",
  );
  return { runs: await listed(org.key), report: [report.status, report.body.data ?? report.body.rows] };
}

async function expectKnown(org: Spender): Promise<void> {
  expect((await sendRuns(org, "old", OLD)).body).toMatchObject({ accepted: 0, duplicates: OLD, rejected: 0 });
  expect((await org.run({ id: "old-7", model: "acme/other" })).status).toBe(409);
  expect((await call("GET", "/v1/runs/old-500", { key: org.key })).body).toMatchObject({
    cost_usd: "0.0000015",
  });
}

/** The files are gone too: the org comes to a region with another bucket. */
async function lose(org: Spender): Promise<void> {
  await forget(org.id);
  await bucket().delete(await filesOf(org.id));
}

const fileCount = async (orgId: string, state: string): Promise<number> =>
  (await rowsOf<{ n: number }>(orgId, `SELECT count(*) AS n FROM run_files WHERE state = '${state}'`))[0]
    ?.n ?? 0;

/** More than one answer of the object has, and runs that cannot be compressed. */
async function withManyFiles(): Promise<Spender> {
  const org = await newSpender();
  for (const part of [0, 1, 2]) {
    const runs = Array.from({ length: 300 }, (_, at) => ({
      ...aRun({ id: `${part}-${at}`, metadata: { note: randomBytes(900).toString("base64") } }),
    }));
    expect((await org.bulk(runs)).body.accepted).toBe(300);
  }
  await archiveEverything(org.id);
  expect((await filesOf(org.id)).length).toBeGreaterThan(2);
  return org;
}

/** Tells how many bytes the org's object has read from the bucket. */
async function countReads(orgId: string): Promise<() => number> {
  let bytes = 0;
  const counting = {
    get(name: string, options: { range: { length: number } }) {
      bytes += options.range.length;
      return bucket().get(name, options);
    },
  } as unknown as R2Bucket;
  await runInDurableObject(env.ORG.getByName(orgId), (_object, { storage }) =>
    bindArchive(storage.sql, { bucket: counting, prefix: `${orgId}/runs/` }),
  );
  return () => bytes;
}

describe("a backup of an org with runs in the archive", () => {
  test("is read as fast as its reader takes it, a part at a time, so memory does not grow with it", async () => {
    const org = await withManyFiles();
    const read = await countReads(org.id);
    const reader = (await askBackup(org.id)).body?.getReader();
    const checked = read();
    const steps: number[] = [];
    let received = 0;
    for (let before = checked; ; before = read()) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done || value === undefined) break;
      received += value.byteLength;
      steps.push(read() - before);
    }
    const total = read() - checked;
    expect(total).toBe(checked);
    expect(received).toBeGreaterThan(total);
    // One block more than half a megabyte, at most.
    expect(Math.max(...steps)).toBeLessThan(total / 2);
    expect(steps.filter((bytes) => bytes > 0).length).toBeGreaterThan(2);
  });

  test("is checked a few blocks at a time, each once", async () => {
    const org = await withManyFiles();
    const object = env.ORG.getByName(org.id);
    const read = await countReads(org.id);
    await runInDurableObject(object, async (_object, { storage }) => {
      const next = async (after: number): Promise<number | null> => {
        const last = await fetchingOrRefusing(() => checkArchivedAfter(runSegments(storage.sql), after, 1));
        if (isRefusal(last)) throw new Error(last.message);
        return last;
      };
      const seen: number[] = [];
      for (let after = await next(0); after !== null; after = await next(after)) seen.push(after);
      expect(seen).toEqual([...new Set(seen)].toSorted((one, other) => one - other));
      expect(seen.length).toBeGreaterThan(2);
    });
    const one = read();
    await (await askBackup(org.id)).body?.cancel();
    expect(read() - one).toBe(one);
  });

  test("has these runs: they are listed, found and known as duplicates where no file of them is", async () => {
    const org = await newArchivist(OLD);
    await sendRuns(org, "new", 20);
    const before = await seenOf(org);
    expect(before.runs.length).toBe(OLD + 20);
    const archive = await backup(org.id);
    await lose(org);
    expect((await sendArchive(archive)).status).toBe(201);
    expect(await seenOf(org)).toEqual(before);
    await expectKnown(org);
    const again = await sendArchive(archive);
    expect([again.status, again.body.imported]).toEqual([200, false]);
  });

  test("may have many files, and more runs than one answer of the object has", async () => {
    const org = await withManyFiles();
    const before = await seenOf(org);
    const archive = await backup(org.id);
    expect(archive.byteLength).toBeGreaterThan(900 * 1200);
    await lose(org);
    expect((await sendArchive(archive)).status).toBe(201);
    expect(await seenOf(org)).toEqual(before);
    expect(before.runs.length).toBe(900);
  });

  test("is archived again where it was imported, in files that no other life of the org has written", async () => {
    const org = await newArchivist(OLD);
    const before = await seenOf(org);
    const [earlier = ""] = await filesOf(org.id);
    const archive = await backup(org.id);
    await forget(org.id);
    const { archive_id: archiveId } = (await sendArchive(archive)).body;
    await expect.poll(() => fileCount(org.id, "made")).toBe(1);
    expect(await filesOf(org.id)).toEqual(
      [earlier, `${org.id}/runs/${archiveId}/${earlier.split("/").at(-1)}`].toSorted(),
    );
    // The file of the earlier life is not the one that is read.
    await bucket().delete(earlier);
    expect(await seenOf(org)).toEqual(before);
    await expectKnown(org);
  });

  test("that was cut off while it was imported leaves nothing, and can be imported then", async () => {
    const org = await newArchivist(OLD);
    const before = await seenOf(org);
    const archive = await backup(org.id);
    await lose(org);
    const cut = await sendArchive(archive.subarray(0, archive.byteLength - 40));
    expect(cut.body.error.details.fields[0].code).toBe("truncated");
    await runInDurableObject(env.ORG.getByName(org.id), (_, state) => state.abort("killed")).catch(
      () => undefined,
    );
    expect((await call("GET", `/v1/admin/orgs/${org.id}`, { key: operatorKey() })).status).toBe(404);
    expect(await filesOf(org.id)).toEqual([]);
    expect((await sendArchive(archive)).status).toBe(201);
    expect(await seenOf(org)).toEqual(before);
  });

  test("is refused, and names the file, if one is missing or damaged", async () => {
    const org = await newArchivist(OLD);
    const [name = ""] = await filesOf(org.id);
    const bytes = new Uint8Array((await (await bucket().get(name))?.arrayBuffer()) ?? new ArrayBuffer(0));
    const refused = async (why: string) => {
      const answer = await askBackup(org.id);
      const { error } = (await answer.json()) as { error: { code: string; message: string } };
      expect([answer.status, error.code]).toEqual([503, "service_unavailable"]);
      expect(error.message).toContain(`'${name}' cannot be read. ${why}`);
    };
    const changed = bytes.slice();
    changed[100] = (changed[100] ?? 0) ^ 1;
    await bucket().put(name, changed);
    await refused("It is damaged");
    await bucket().delete(name);
    await refused("It is missing");
    await bucket().put(name, bytes);
    expect((await backup(org.id)).byteLength).toBeGreaterThan(0);
  });

  test("breaks off if a file is lost while it is read, is not taken for a whole one, and leaves nothing", async () => {
    const org = await newArchivist(OLD);
    const [name = ""] = await filesOf(org.id);
    const bytes = (await (await bucket().get(name))?.arrayBuffer()) ?? new ArrayBuffer(0);
    const reader = (await askBackup(org.id)).body?.getReader();
    await bucket().delete(name);
    const received: Uint8Array[] = [];
    const readAll = async () => {
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
        if (done || value === undefined) return;
        received.push(value);
      }
    };
    await expect(readAll()).rejects.toThrow(`'${name}' cannot be read. It is missing`);
    expect(await rowsOf(org.id, "SELECT n FROM backup_frames")).toEqual([]);
    await bucket().put(name, bytes);
    const archive = await backup(org.id);
    await lose(org);
    const cut = await sendArchive(Buffer.concat(received));
    expect(cut.body.error.details.fields[0].code).toBe("truncated");
    expect((await sendArchive(archive)).status).toBe(201);
  });

  test("keeps its runs from retention until it was read", async () => {
    const org = await newArchivist(OLD);
    await org.advance(86_400 * 3);
    const before = await seenOf(org);
    const answer = await askBackup(org.id);
    const policy = { runs_days: 3, audit_days: 400, deliveries_days: 30 };
    expect((await org.send("PUT", "retention-policy", policy)).status).toBe(200);
    await org.advance(120);
    expect((await listed(org.key)).length).toBe(OLD);
    const archive = Buffer.from(await answer.arrayBuffer());
    await org.advance(600);
    await expect.poll(async () => (await listed(org.key)).length).toBe(0);
    await lose(org);
    expect((await sendArchive(archive)).status).toBe(201);
    expect((await seenOf(org)).runs).toEqual(before.runs);
  });
});
