import { applyD1Migrations, env } from "cloudflare:test";
import { beforeAll, vi } from "vitest";
import type { TestEnv } from "./worker.ts";

// The Worker's own line for each request: tests that are about it listen for it, to all others it is noise, and dear.
vi.spyOn(console, "log").mockImplementation(() => {});

beforeAll(async () => {
  const { DB, TEST_MIGRATIONS } = env as unknown as TestEnv;
  await applyD1Migrations(DB, TEST_MIGRATIONS);
});
