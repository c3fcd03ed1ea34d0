import { env, runInDurableObject } from "cloudflare:test";
import { oncePresent } from "../../src/org/kernel/absent.ts";
import { runBlocks } from "../../src/org/runs/blocks/blocks.ts";
import { transaction } from "../../src/org/kernel/journal/transaction.ts";
import { insertRuns } from "../../src/org/runs/store.ts";
import type { Run } from "../../src/org/runs/run.ts";

function withStorage<T>(orgId: string, use: (storage: DurableObjectStorage) => T | Promise<T>): Promise<T> {
  const namespace = (env as { ORG: DurableObjectNamespace }).ORG;
  return runInDurableObject(namespace.getByName(orgId), (_object, state) => use(state.storage));
}

/** All runs of an org, wherever they are stored, oldest first. */
export async function storedRuns(orgId: string): Promise<Run[]> {
  return withStorage(orgId, async ({ sql }) => oncePresent(() => allRuns(sql)));
}

export function allRuns(sql: SqlStorage): Run[] {
  const blocks = runBlocks(sql);
  return blocks.latestHeld.toReversed().flatMap((entry) => [...blocks.block(entry)]);
}

/** Stores the runs of an object as rows, like versions without blocks. The object must be evicted afterwards. */
export function unpackRuns(orgId: string): Promise<void> {
  return withStorage(orgId, ({ sql }) => {
    for (const [at, run] of allRuns(sql).entries()) {
      const data = [
        run.model,
        run.action,
        run.workflowId,
        run.deploymentId,
        run.departmentId,
        run.customerId,
        run.inputTokens,
        run.outputTokens,
        run.charges,
        run.endedAt,
        run.parentRunId,
        run.depth,
        run.extra,
      ];
      sql.exec(
        `INSERT INTO runs (seq, id, started_at, charged_at, recorded_at, chain_id, cost, data)
         VALUES (?, ?, ?, ?, ?, ?, CAST(? AS INTEGER), ?)`,
        at + 1,
        run.id,
        run.startedAt,
        run.chargedAt,
        run.recordedAt,
        run.chainId,
        String(run.cost),
        JSON.stringify(data),
      );
    }
    sql.exec(
      `DROP TABLE run_blocks; DROP TABLE run_id_key; DROP TABLE run_id_block_parts; DROP TABLE run_files;
       DROP TABLE run_file_indexes; DROP TABLE run_archive; DROP TABLE run_id_filters;
       DELETE FROM schema_steps WHERE name IN ('runs/5', 'runs/6', 'runs/9', 'runs/filters', 'runs/archive-place')`,
    );
  });
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
