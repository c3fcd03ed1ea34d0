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
// Until it is loaded, an object decides what an isolate could. A test should not depend on the files before it.
beforeAll(loadRulesEngine);
