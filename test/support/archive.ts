import { expect } from "vitest";
import { runInDurableObject } from "cloudflare:test";
import { type Archive, archiveOf, bindArchive } from "../../src/storage/segments/archive-binding.ts";
import { checkpointFirst } from "../../src/storage/transaction.ts";
import { runSegments } from "../../src/org/runs/segments/segments.ts";
import { archiveFile, type ArchiveWork, deleteGone } from "../../src/storage/segments/archive/archive.ts";
import type { FileSize } from "../../src/storage/segments/archive/select.ts";
import { type Answer, env } from "./worker.ts";
import { rowsOf } from "./rows.ts";
import { aRun, newSpender, type Spender } from "./ledger.ts";

/** Orgs with runs in the archive, from outside. */

export const DAY_SECONDS = 86_400;

export function bucket(): R2Bucket {
  const { ARCHIVE } = env;
  if (ARCHIVE === undefined) throw new Error("the test Worker has no archive");
  return ARCHIVE;
}

export async function filesOf(orgId: string): Promise<string[]> {
  const { objects } = await bucket().list({ prefix: `${orgId}/` });
  return objects.map(({ key }) => key);
}

/** Names are `prefix-number`. */
export async function sendRuns(
  org: Spender,
  prefix: string,
  count: number,
  more: object = {},
): Promise<Answer> {
  const runs = Array.from({ length: count }, (_, at) => ({
    ...aRun({ id: `${prefix}-${at}`, cost_usd: `0.00000${1000 + at}`, ...more }),
    started_at: new Date(Date.UTC(2026, 10, 10) + at * 1000).toISOString(),
  }));
  return org.bulk(runs);
}

/** Moves the org's clock until what was stored is a day old, and waits for the archive. */
export async function archiveAll(org: Spender, isDone: () => Promise<boolean>): Promise<void> {
  await org.advance(DAY_SECONDS + 3600);
  await expect.poll(isDone).toBe(true);
}

/** An org whose first runs are in the archive, in one file, and none of them in its object. */
export async function newArchivist(count = 1000): Promise<Spender> {
  const org = await newSpender();
  const sent = await sendRuns(org, "old", count);
  if (sent.status !== 200) throw new Error(`no runs: ${sent.text}`);
  await archiveAll(org, async () => {
    const rows = await rowsOf<{ blocks: number; files: number }>(
      org.id,
      `SELECT (SELECT COUNT(*) FROM run_blocks) AS blocks, (SELECT COUNT(*) FROM run_files WHERE state = 'made') AS files`,
    );
    return rows[0]?.files === 1 && rows[0].blocks === 0;
  });
  return org;
}

/** Where the archive stops, as if the object died there. */
export type Cut = "before put" | "after put" | "before delete" | "after delete";

const DIED = "the object died";

function cutting(real: R2Bucket, cut: Cut): R2Bucket {
  const died = () => Promise.reject(new Error(DIED));
  const methods: Partial<Record<keyof R2Bucket, unknown>> = {
    put: async (name: string, bytes: Uint8Array) => {
      if (cut === "before put") return died();
      await real.put(name, bytes);
      return cut === "after put" ? died() : null;
    },
    delete: async (names: string[]) => {
      if (cut === "before delete") return died();
      await real.delete(names);
      return cut === "after delete" ? died() : undefined;
    },
    get: (name: string, options: R2GetOptions) => real.get(name, options),
  };
  return methods as unknown as R2Bucket;
}

/** What the archive's work needs. Everything is old. */
export function contextOf(storage: DurableObjectStorage): ArchiveWork {
  // Only what is stored is archived.
  checkpointFirst(storage);
  return { storage, segments: runSegments(storage.sql), now: Number.MAX_SAFE_INTEGER };
}

/** Any block makes a file, of at most a few hundred runs. */
export const SMALL_FILES: FileSize = { rows: 300, bytes: 1_000_000, isFull: () => true };

/** Runs a part of the archive's work, which may be cut off. */
export async function cutOff(
  storage: DurableObjectStorage,
  cut: Cut | null,
  work: () => Promise<unknown>,
): Promise<void> {
  const bound: Archive = archiveOf(storage.sql);
  if (cut !== null) bindArchive(storage.sql, { ...bound, bucket: cutting(bucket(), cut) });
  try {
    await work();
  } catch (error) {
    if (!String(error).includes(DIED)) throw error;
  } finally {
    bindArchive(storage.sql, bound);
  }
}

/** Moves every run of an org to the archive, in small files. */
export async function archiveEverything(orgId: string): Promise<void> {
  await runInDurableObject(env.ORG.getByName(orgId), async (_object, { storage }) => {
    while (await archiveFile(contextOf(storage), SMALL_FILES)) continue;
    await deleteGone(contextOf(storage));
  });
}
