import { runInDurableObject } from "cloudflare:test";
import { transaction } from "../../src/storage/transaction.ts";
import { rollUpSome } from "../../src/storage/segments/rollups/make.ts";
import { contextOf } from "./archive.ts";
import type { Spender } from "./ledger.ts";
import { env } from "./worker.ts";

/** Adds up the runs of an org beforehand, a few hundred at a time. */
export function rollUpAll(orgId: string): Promise<void> {
  return runInDurableObject(env.ORG.getByName(orgId), (_object, { storage }) =>
    rollUpSome(contextOf(storage), { leastRows: 500, mostRows: 900, untilMs: Number.POSITIVE_INFINITY }),
  );
}

/** What a function returns while the org has no rollups. */
export async function withoutRollups<T>(orgId: string, use: () => Promise<T>): Promise<T> {
  const object = env.ORG.getByName(orgId);
  const rows = await runInDurableObject(object, (_object, { storage }) => {
    const all = [...storage.sql.exec("SELECT * FROM run_digests").raw()];
    transaction(storage, () => storage.sql.exec("DELETE FROM run_digests"));
    return all;
  });
  const result = await use();
  await runInDurableObject(object, (_object, { storage }) =>
    transaction(storage, () => {
      for (const row of rows)
        storage.sql.exec("INSERT INTO run_digests VALUES (?, ?, ?, ?, ?, ?, ?)", ...row);
    }),
  );
  return result;
}

const RANGES = [
  "from=2026-10-01&to=2026-12-01",
  "from=2026-11-10T00:05:00Z&to=2026-11-10T00:40:00Z",
  "from=2026-11-10T00:20:00Z",
];
const GROUPS = ["user_id", "key_id", "provider", "outcome", "tag:team", "model"];

/** Reports by all that rollups are made for, over times that begin and end within some. */
export async function reportsOf(org: Spender): Promise<unknown[]> {
  const asked = RANGES.flatMap((range) => GROUPS.map((group) => `${range}&group_by=${group}`));
  const answers = [];
  for (const query of asked) {
    const { status, text } = await org.send("GET", `usage/report?${query}`);
    answers.push([query, status, text]);
  }
  return answers;
}
