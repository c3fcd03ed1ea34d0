import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Miniflare, WorkerOptions } from "miniflare";
import { bundleWorker } from "../bundle.ts";
import { ROOT, type WorkerConfig } from "../worker-config.ts";
import type { Migration } from "./migrate.ts";

const ADDRESS = "migrator.invalid";

/**
 * A Worker that migrates the databases of others. Inside the runtime, a migration is one call. From outside, each
 * statement would be several, and block the server meanwhile.
 */
export async function migratorOf(
  config: WorkerConfig,
  workers: readonly WorkerOptions[],
): Promise<WorkerOptions> {
  const pending = new Map<string, Migration[]>();
  for (const { d1Databases = {} } of workers) {
    for (const [binding, id] of Object.entries(d1Databases)) {
      const database = config.d1_databases.find((one) => one.binding === binding);
      if (database !== undefined) pending.set(String(id), migrationsIn(join(ROOT, database.migrations_dir)));
    }
  }
  return {
    name: `${config.name}-migrator`,
    modules: [
      {
        type: "ESModule",
        path: "migrator.mjs",
        contents: await bundleWorker("scripts/migrating/worker.ts"),
      },
    ],
    compatibilityDate: config.compatibility_date,
    bindings: { MIGRATIONS: Object.fromEntries(pending) as unknown as Record<string, never> },
    d1Databases: Object.fromEntries([...pending.keys()].map((id) => [id, id])),
    routes: [`${ADDRESS}/*`],
  };
}

/** Asks the runtime's migrator. */
export async function migrateAll(miniflare: Miniflare): Promise<void> {
  const answer = await miniflare.dispatchFetch(`http://${ADDRESS}/`);
  if (answer.status !== 204) throw new Error(`the databases were not migrated: ${await answer.text()}`);
}

function migrationsIn(folder: string): Migration[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  return names.sort().map((name) => ({ name, sql: readFileSync(join(folder, name), "utf8") }));
}
