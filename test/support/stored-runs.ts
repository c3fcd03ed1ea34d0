import { env, runInDurableObject } from "cloudflare:test";
import { fetchingAsNeeded } from "../../src/storage/needs-fetch.ts";
import { runSegments } from "../../src/org/runs/segments/segments.ts";
import { transaction } from "../../src/storage/transaction.ts";
import { insertRuns } from "../../src/org/runs/store.ts";
import type { Run } from "../../src/org/runs/run.ts";

function withStorage<T>(orgId: string, use: (storage: DurableObjectStorage) => T | Promise<T>): Promise<T> {
  const namespace = (env as { ORG: DurableObjectNamespace }).ORG;
  return runInDurableObject(namespace.getByName(orgId), (_object, state) => use(state.storage));
}

/** All runs of an org, wherever they are stored, oldest first. */
export async function storedRuns(orgId: string): Promise<Run[]> {
  return withStorage(orgId, async ({ sql }) => fetchingAsNeeded(() => allRuns(sql)));
}

export function allRuns(sql: SqlStorage): Run[] {
  const store = runSegments(sql);
  return Array.from(store.held()).flatMap((segment) => [...store.columns(segment)]);
}

/** Stores made-up runs, like calls with a thousand each. */
export function storeRuns(orgId: string, count: number, runAt: (index: number) => Run): Promise<void> {
  return withStorage(orgId, (storage) => {
    for (let from = 0; from < count; from += 1000) {
      const runs = Array.from({ length: Math.min(1000, count - from) }, (_, at) => runAt(from + at));
      transaction(storage, () => insertRuns(storage.sql, runs));
    }
  });
}
