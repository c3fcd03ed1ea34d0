import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ROOT } from "../../scripts/worker-config.ts";
import { makeFolder, temporaryFolder } from "../support/folder.ts";

/** What the default environment would deploy. Regions deploy the same code, and `region-environments` compares them. */
const bundle = makeFolder();
afterAll(bundle.remove);

test("the default environment would deploy, with its objects, its database and its settings", () => {
  expectWhole(dryRun("--env", "", "--outdir", bundle.path));
});

test("a region would deploy the same code the same way", () => {
  const main = join(bundle.path, "index.js");
  if (!existsSync(main)) dryRun("--env", "", "--outdir", bundle.path);
  expectWhole(
    dryRun(main, "--no-bundle", "--config", "wrangler.toml", "--env", "eu", "--outdir", temporaryFolder()),
  );
});

function expectWhole({ status, stdout }: ReturnType<typeof dryRun>): void {
  for (const binding of ["env.ORG", "env.DB", "env.SVC_REGION"]) expect(stdout).toContain(binding);
  expect(stdout).toContain("--dry-run: exiting now.");
  expect(status).toBe(0);
}

test("the proxy would deploy, with the service's entrypoint and without keys", () => {
  const run = dryRun("--config", "src/proxy/wrangler.toml", "--outdir", temporaryFolder());
  expect(run.stdout).toMatch(/env\.SLUICE\b.*sluice#Gate/);
  expect(run.stdout).toContain("env.PROXY_OTHER_PATHS");
  expect(run.stdout).not.toContain("API_KEY");
  expect(run.stdout).toContain("--dry-run: exiting now.");
  expect(run.status).toBe(0);
});

test("service and proxy would deploy as one Worker, whose database is made by the deploy", () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["scripts/deploy.ts", "--one-worker", "--dry-run"],
    {
      cwd: ROOT,
      encoding: "utf8",
      env: { ...process.env, WRANGLER_SEND_METRICS: "false", OPENAI_API_KEY: "" },
    },
  );
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("which is the service and the governed proxy");
  expect(stdout).toContain("The Worker builds. Nothing was changed.");
});

function dryRun(...args: readonly string[]) {
  return spawnSync(join(ROOT, "node_modules/.bin/wrangler"), ["deploy", "--dry-run", ...args], {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
  });
}
