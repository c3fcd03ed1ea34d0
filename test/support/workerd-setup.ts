import { beforeAll } from "vitest";
import { loadRulesEngine } from "../../src/domain/policy/engine-loading.ts";
import { useShortLives } from "./lives.ts";
import { useDatabase } from "./migrate.ts";
import { mendPool } from "./pool.ts";
import { useQuietConsole } from "./quiet-console.ts";

/** A setup file is loaded again for each test file, and what it imports is not. So there is one for all of these. */
mendPool();
useQuietConsole();
useDatabase();
useShortLives();
// In the test pool, loading a module is a call to the runner, which ends with the request that began it.
beforeAll(loadRulesEngine);
