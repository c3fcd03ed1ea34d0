import { availableParallelism } from "node:os";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";
import { RULES_TESTS } from "./scripts/check/changed.ts";
import { buildAssets } from "./scripts/reference/assets.ts";
import { collectOnOneThread } from "./scripts/v8-flags.ts";
import { bundledSource, READ_BY_RUNTIME } from "./test/support/bundled-source.ts";
import { ALL_REPORTED } from "./test/support/end-workers.ts";
import { PATIENCE_MS, TEST_MS } from "./test/support/patience.ts";
import { TestOrder } from "./test/support/test-order.ts";

collectOnOneThread();
// The Worker's configuration names the folder, which must exist.
await buildAssets();

const PATIENT = { testTimeout: TEST_MS, hookTimeout: TEST_MS, expect: { poll: { timeout: PATIENCE_MS } } };

/** Node runs TypeScript as it is, and keeps what it compiled. Vite would transform each file of it at each run. */
const AS_NODE_LOADS = { viteModuleRunner: false, nodeLoader: false };

const WORKERD_TESTS = [
  "test/promises/workerd/*.test.ts",
  "test/{edge,api,org,outbound,platform,storage,web}/**/*.test.ts",
];
const WORKERD_SETUP = ["test/support/seed.ts", "test/support/workerd-setup.ts"];

/**
 * Three kinds of test. `rules`: pure functions in plain Node, in milliseconds. `workerd`: objects and
 * routes in the real runtime, with real D1 and real Durable Objects. `system`: a running server, from outside.
 */
export default defineConfig({
  test: {
    silent: "passed-only",
    // The end of a runtime whose files have all been reported loses nothing.
    onUnhandledError: ({ message }) =>
      process.env[ALL_REPORTED] === undefined || !message.includes("Worker cloudflare-pool emitted error"),
    sequence: { sequencer: TestOrder },
    projects: [
      {
        test: {
          name: "rules",
          include: RULES_TESTS,
          setupFiles: ["test/support/seed.ts"],
          environment: "node",
          // Pure functions have no state to keep apart: what they import is loaded once for all files.
          isolate: false,
          experimental: AS_NODE_LOADS,
          // One process for all would leave a core of two idle.
          maxWorkers: Math.max(2, availableParallelism() - 1),
          ...PATIENT,
        },
      },
      {
        plugins: [
          bundledSource([...WORKERD_TESTS, ...WORKERD_SETUP]),
          cloudflareTest(async () => ({
            main: "./src/index.ts",
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              modulesRules: [READ_BY_RUNTIME],
              bindings: {
                TEST_MIGRATIONS: await readD1Migrations("migrations"),
                SVC_KEY_PEPPER: "pepper-for-tests-0123456789abcdefghij",
                SVC_OPERATOR_KEY: "svc_operator_for-tests-0123456789abcdefghij",
                LOCAL_SIGN_IN: "local-sign-in-for-tests-0123456789abcdefghij",
                SVC_WEBHOOK_ALLOW_PRIVATE: "true",
                SVC_EMAIL_FROM: "sluice@example.com",
              },
            },
          })),
        ],
        test: {
          name: "workerd",
          include: WORKERD_TESTS,
          setupFiles: WORKERD_SETUP,
          // One isolate for all files: loading the Worker costs more than most of them. Each test makes its own orgs.
          isolate: false,
          // The pool sends what is logged over the socket of the run, where a line from an object that outlives its file
          // hangs the run or fails it. `quiet-console.ts` keeps the lines instead.
          disableConsoleIntercept: true,
          maxWorkers: 4,
          // Projects with different numbers of workers cannot run side by side.
          sequence: { groupOrder: 1 },
          ...PATIENT,
        },
      },
      {
        test: {
          name: "system",
          include: ["test/promises/system/*.test.ts", "test/system/**/*.test.ts"],
          setupFiles: ["test/support/seed.ts", "test/support/connections.ts", "test/support/jsx-loading.ts"],
          globalSetup: ["test/support/shared-server.ts"],
          // What all of them import takes longer to load than many of them take to run.
          isolate: false,
          sequence: { groupOrder: 2 },
          // Each file has servers and folders of its own, and mostly waits for them.
          maxWorkers: 4,
          environment: "node",
          experimental: AS_NODE_LOADS,
          ...PATIENT,
        },
      },
    ],
  },
});
