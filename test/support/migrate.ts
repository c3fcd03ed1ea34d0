import { applyD1Migrations, env } from "cloudflare:test";
import { beforeAll } from "vitest";
import type { TestEnv } from "./worker.ts";

let isMigrated = false;

/** All files of an isolate share its database. */
export function useDatabase(): void {
  beforeAll(async () => {
    if (isMigrated) return;
    const { DB, TEST_MIGRATIONS } = env as unknown as TestEnv;
    await applyD1Migrations(DB, TEST_MIGRATIONS);
    isMigrated = true;
  });
}
