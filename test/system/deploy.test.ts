import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../scripts/worker-config.ts";
import { temporaryFolder } from "../support/folder.ts";

test.each(["eu", "us"])("region %s would deploy", (region) => {
  const args = ["deploy", "--dry-run", "--env", region, "--outdir", temporaryFolder()];
  const run = spawnSync(join(ROOT, "node_modules/.bin/wrangler"), args, {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
  });
  expect(run.stdout).toContain("--dry-run: exiting now.");
  expect(run.status).toBe(0);
});
