import { applyD1Migrations, env } from "cloudflare:test";
import { beforeAll } from "vitest";
import type { TestEnv } from "./worker.ts";

let isMigrated = false;

/** All files of an isolate share its database. */
export function useDatabase(): void {
  beforeAll(async () => {
    const { DB, TEST_MIGRATIONS } = env as unknown as TestEnv;
    // A change of the book wakes every org that reads it. Those of earlier files are of no use.
    if (isMigrated) await DB.prepare("DELETE FROM price_book_readers").run();
    else await applyD1Migrations(DB, TEST_MIGRATIONS);
    isMigrated = true;
  });
}
