import { applyD1Migrations, env } from "cloudflare:test";
import { beforeAll } from "vitest";
import type { TestEnv } from "./worker.ts";

beforeAll(async () => {
  const { DB, TEST_MIGRATIONS } = env as unknown as TestEnv;
  await applyD1Migrations(DB, TEST_MIGRATIONS);
});
