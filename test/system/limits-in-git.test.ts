import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { Sluice } from "../../src/client/index.ts";
import { inherited } from "../support/environment.ts";
import { makeFolder, temporaryFolder } from "../support/folder.ts";
import { installedPackage, PATIENTLY, type Ran } from "../support/installed-package.ts";
import { newOrg, sharedServer } from "../support/server.ts";
import { PATIENCE_MS } from "../support/patience.ts";

/** What docs/limits-in-git.md shows is run: its file is applied by the jobs of its CI example, with the package as it is packed. */
const guide = readFileSync("docs/limits-in-git.md", "utf8");
const [file = "", workflow = ""] = [...guide.matchAll(/```yaml\n([^]*?)```/g)].map(([, code = ""]) => code);

interface Step {
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}
const { jobs } = parse(workflow) as { jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>> };
const stepsOf = (job: string): readonly Step[] => jobs[job]?.steps ?? [];

const project = makeFolder();
afterAll(() => project.remove());

/** A repository as the guide has it: the packed package and a lock file beside the file of settings. */
beforeAll(async () => {
  const built = await installedPackage();
  const npm = (...args: string[]) =>
    execFileSync("npm", args, { cwd: project.path, encoding: "utf8", env: inherited() });
  const packed = npm("pack", "--silent", join(built.path, "node_modules/sluice")).trim();
  built.remove();
  expect(guide).toContain(`npm install ./${packed} `);
  npm("install", "--offline", "--silent", `./${packed}`);
  rmSync(join(project.path, "node_modules"), { recursive: true });
});

/** Runs each step as a runner does: in a shell of its own, with the variables that it names and the machine's. */
async function runSteps(steps: readonly Step[], values: NodeJS.ProcessEnv, cwd = project.path): Promise<Ran> {
  let said = "";
  for (const { run, env: named = {} } of steps) {
    if (run === undefined) continue;
    const env = { ...inherited(), npm_config_offline: "true", NODE_OPTIONS: PATIENTLY };
    for (const [variable, from] of Object.entries(named)) {
      const [, source = ""] = /\$\{\{ (?:vars|secrets)\.(\w+) \}\}/.exec(from) ?? [];
      Object.assign(env, { [variable]: values[source] ?? "" });
    }
    Object.assign(env, { SLUICE_OPENAI_KEY: "sk-0123456789" });
    const { status, stdout, stderr } = await runStep(run, { cwd, env });
    said = stdout;
    if (status !== 0) return { status, stdout, stderr };
  }
  return { status: 0, stdout: said, stderr: "" };
}

function runStep(script: string, options: { cwd: string; env: NodeJS.ProcessEnv }): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile("bash", ["-e", "-c", script], options, (_, stdout, stderr) =>
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
  // Each begins with the same installation, which stays where it is.
  const runJob = (name: string) => runSteps(stepsOf(name).slice(-1), values);
  // A viewer cannot read keys of providers, as the guide says.
  const read = file.replace(/^provider_keys:\n(?: .*\n)+\n/m, "");
  expect(read).not.toBe(file);
  writeFileSync(join(project.path, "sluice.yaml"), read);
  const planned = await runSteps(stepsOf("plan"), values);
  expect([planned.status, planned.stdout]).toEqual([0, expect.stringContaining('+ budgets "Everything"')]);
  expect((await runJob("drift")).status).toBe(2);
  writeFileSync(join(project.path, "sluice.yaml"), file);
  const applied = await runJob("apply");
  expect([applied.status, applied.stdout]).toEqual([0, expect.stringMatching(/\d changed\.\n$/)]);
  expect((await runJob("apply")).stdout).toBe("Nothing would change.\n");
  writeFileSync(join(project.path, "sluice.yaml"), read);
  expect((await runJob("drift")).status).toBe(0);
  await sluice.spendCap.set({ cap_usd: "1" });
  expect((await runJob("drift")).status).toBe(2);
  expect(Object.keys(jobs).toSorted()).toEqual(["apply", "drift", "plan"]);
});

test("a job that has not installed the package runs nothing of that name from a registry", async () => {
  const asked: (string | undefined)[] = [];
  const registry = createServer(({ url, headers }, response) => {
    asked.push(url);
    const tarball = `http://${headers.host}/somebody-elses.tgz`;
    const versions = { "9.9.9": { name: "sluice", version: "9.9.9", bin: "x.js", dist: { tarball } } };
    response.end(JSON.stringify({ name: "sluice", "dist-tags": { latest: "9.9.9" }, versions }));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void registry.close());
  await once(registry, "listening");
  const address = registry.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, ".npmrc"), `registry=http://127.0.0.1:${port}/\n`);
  const { run = "" } = stepsOf("apply").at(-1) ?? {};
  expect((await runStep(run, { cwd, env: inherited() })).status).toBe(1);
  expect(asked).not.toContain("/somebody-elses.tgz");
  // The registry is one that npx would install from.
  await runStep("npx --yes sluice", { cwd, env: inherited() });
  expect(asked).toContain("/somebody-elses.tgz");
});

test("only the step that calls the service gets a key", () => {
  const withEnv = Object.keys(jobs)
    .flatMap(stepsOf)
    .filter(({ env }) => env !== undefined);
  expect(withEnv.map(({ run }) => run?.split(" ").slice(0, 3).join(" "))).toEqual(
    Object.keys(jobs).map(() => "npx --no-install sluice"),
  );
  expect(Object.values(jobs).filter((job) => "env" in job)).toEqual([]);
  for (const job of Object.keys(jobs))
    expect(stepsOf(job).map(({ run }) => run)).toEqual([
      undefined,
      undefined,
      "npm ci --ignore-scripts",
      expect.stringContaining("sluice"),
    ]);
});
