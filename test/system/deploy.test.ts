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
  const run = dryRun("--env", environment);
  for (const binding of ["env.ORG", "env.DB", "env.SVC_REGION"]) expect(run.stdout).toContain(binding);
  expect(run.stdout).toContain("--dry-run: exiting now.");
  expect(run.status).toBe(0);
});

test("the proxy would deploy, with the service's entrypoint and without keys", () => {
  const run = dryRun("--config", "src/proxy/wrangler.toml");
  expect(run.stdout).toMatch(/env\.SLUICE\b.*sluice#Gate/);
  expect(run.stdout).toContain("env.PROXY_CALLER_SETS");
  expect(run.stdout).not.toContain("API_KEY");
  expect(run.stdout).toContain("--dry-run: exiting now.");
  expect(run.status).toBe(0);
});

function dryRun(...args: readonly string[]) {
  return spawnSync(
    join(ROOT, "node_modules/.bin/wrangler"),
    ["deploy", "--dry-run", ...args, "--outdir", temporaryFolder()],
    { cwd: ROOT, encoding: "utf8", env: { ...process.env, WRANGLER_SEND_METRICS: "false" } },
  );
}
