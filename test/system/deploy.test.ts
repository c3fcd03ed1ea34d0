import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../scripts/worker-config.ts";
import { temporaryFolder } from "../support/folder.ts";

test.each([
  ["the default environment", ""],
  ["region eu", "eu"],
  ["region us", "us"],
])("%s would deploy, with its objects, its database and its settings", (_, environment) => {
  const args = ["deploy", "--dry-run", "--env", environment, "--outdir", temporaryFolder()];
  const run = spawnSync(join(ROOT, "node_modules/.bin/wrangler"), args, {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
  });
  for (const binding of ["env.ORG", "env.DB", "env.SVC_REGION"]) expect(run.stdout).toContain(binding);
  expect(run.stdout).toContain("--dry-run: exiting now.");
  expect(run.status).toBe(0);
});
