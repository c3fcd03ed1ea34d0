import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { Sluice } from "../../src/client/index.ts";
import { installedPackage, type Ran } from "../support/installed-package.ts";
import { newOrg, sharedServer } from "../support/server.ts";
import { PATIENCE_MS } from "../support/patience.ts";

/** What docs/limits-in-git.md shows is run: its file is applied by the jobs of its CI example, with the package as it is installed. */
const blocks = [...readFileSync("docs/limits-in-git.md", "utf8").matchAll(/```yaml\n([^]*?)```/g)].map(
  ([, code = ""]) => code,
);
const [file = "", workflow = ""] = blocks;

interface Job {
  readonly env: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly run?: string }[];
}
const { jobs } = parse(workflow) as { jobs: Readonly<Record<string, Job>> };

let installed: Awaited<ReturnType<typeof installedPackage>>;
beforeAll(async () => {
  installed = await installedPackage();
  const command = join(installed.path, "node_modules/sluice/dist/cli.js");
  chmodSync(command, 0o755);
  mkdirSync(join(installed.path, "node_modules/.bin"));
  symlinkSync(command, join(installed.path, "node_modules/.bin/sluice"));
});
afterAll(() => installed.remove());

/** Runs a job's steps as a runner does: in a shell, with the variables that the job names. */
function runJob(name: string, values: Readonly<Record<string, string>>): Promise<Ran> {
  const job = jobs[name];
  const named = Object.entries(job?.env ?? {}).map(([variable, from]) => {
    const [, source = ""] = /\$\{\{ (?:vars|secrets)\.(\w+) \}\}/.exec(from) ?? [];
    return [variable, values[source] ?? ""] as const;
  });
  const script = (job?.steps ?? []).flatMap(({ run }) => run ?? []).join("\n");
  const env = { ...process.env, ...Object.fromEntries(named), SLUICE_OPENAI_KEY: "sk-0123456789" };
  return new Promise((resolve) => {
    const child = execFile("bash", ["-e", "-c", script], { cwd: installed.path, env }, (_, stdout, stderr) =>
      resolve({ status: child.exitCode, stdout, stderr }),
    );
  });
}

test("the file and the CI example of the guide do what it says", async () => {
  const org = await newOrg();
  const url = sharedServer().urls[0];
  const sluice = new Sluice({ url, key: org.ownerKey, timeoutMs: PATIENCE_MS });
  const admin = await sluice.keys.mint({ name: "ci", role: "admin" });
  const viewer = await sluice.keys.mint({ name: "ci", role: "viewer" });
  const values = { SLUICE_URL: url, SLUICE_ADMIN_KEY: admin.key, SLUICE_VIEWER_KEY: viewer.key };
  // A viewer cannot read keys of providers, as the guide says.
  const read = file.replace(/^provider_keys:\n(?: .*\n)+\n/m, "");
  expect(read).not.toBe(file);
  writeFileSync(join(installed.path, "sluice.yaml"), read);
  const planned = await runJob("plan", values);
  expect([planned.status, planned.stdout]).toEqual([0, expect.stringContaining('+ budgets "Everything"')]);
  expect((await runJob("drift", values)).status).toBe(2);
  writeFileSync(join(installed.path, "sluice.yaml"), file);
  const applied = await runJob("apply", values);
  expect([applied.status, applied.stdout]).toEqual([0, expect.stringMatching(/\d changed\.\n$/)]);
  expect((await runJob("apply", values)).stdout).toBe("Nothing would change.\n");
  writeFileSync(join(installed.path, "sluice.yaml"), read);
  expect((await runJob("drift", values)).status).toBe(0);
  await sluice.spendCap.set({ cap_usd: "1" });
  expect((await runJob("drift", values)).status).toBe(2);
  expect(Object.keys(jobs).toSorted()).toEqual(["apply", "drift", "plan"]);
});
