import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { claimPorts } from "../../../scripts/ports.ts";
import { startServer } from "../../../scripts/server.ts";
import { isAlive, runScript, runtimeOf, startOn } from "../../support/command.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { callerAt } from "../../support/server.ts";
import { PATIENCE_MS, PATIENT } from "../../support/patience.ts";

/** What can happen to a machine: a runtime that is killed at any moment, a full disk, a folder that is not writable. */

/**
 * Kills each runtime that appears on the folder, this long after it appeared, until there were enough or the test ends.
 */
async function killRuntimes(folder: string, kills: number, afterMs: number): Promise<void> {
  let last = existsSync(join(folder, "workerd.pid")) ? runtimeOf(folder) : 0;
  const end = new AbortController();
  onTestFinished(() => end.abort());
  for (let killed = 0; killed < kills && !end.signal.aborted; await sleep(2)) {
    const pid = existsSync(join(folder, "workerd.pid")) ? runtimeOf(folder) : 0;
    if (pid === 0 || pid === last) continue;
    last = pid;
    killed += 1;
    await sleep(afterMs);
    if (isAlive(pid)) process.kill(pid, "SIGKILL");
  }
}

describe("a runtime that is killed", () => {
  test.for([0, 600])("twice during the first start, %i ms in, is restarted", async (afterMs) => {
    const folder = temporaryFolder();
    const killing = killRuntimes(folder, 2, afterMs);
    const server = await startOn(folder);
    await killing;
    const { base_url, org_id, owner_key } = server.demo;
    const call = callerAt(base_url);
    await expect.poll(() => call("GET", "/healthz").then(({ status }) => status, String)).toBe(200);
    expect((await call("GET", `/v1/orgs/${org_id}`, { key: owner_key })).status).toBe(200);
    expect(server.stderr()).not.toMatch(/^ {4}at /m);
  });

  test("repeatedly while it restarts is restarted", async () => {
    const folder = temporaryFolder();
    const server = await startOn(folder);
    const { base_url, org_id, owner_key } = server.demo;
    const killing = killRuntimes(folder, 3, 150);
    process.kill(runtimeOf(folder), "SIGKILL");
    await killing;
    const read = () => callerAt(base_url)("GET", `/v1/orgs/${org_id}`, { key: owner_key });
    await expect.poll(() => read().then(({ status }) => status, String)).toBe(200);
    expect(server.stderr()).not.toMatch(/^ {4}at /m);
    server.process.kill("SIGINT");
    expect(await server.ended).toBe(0);
  });

  const GIVEN_UP = /^sluice: the runtime did not start in 7 attempts \([^\n]+\): see [^\n]+sluice\.log$/;

  test("at every restart ends the server, with one clear line and status 1", async () => {
    const folder = temporaryFolder();
    const server = await startOn(folder);
    void killRuntimes(folder, Infinity, 0);
    process.kill(runtimeOf(folder), "SIGKILL");
    expect(await server.ended).toBe(1);
    expect(server.stderr().trimEnd().split("\n").at(-1)).toMatch(GIVEN_UP);
  });

  test("at every first start ends it the same way", async () => {
    const folder = temporaryFolder();
    void killRuntimes(folder, Infinity, 0);
    const server = runScript("start.ts", [], { PORT: "0", SLUICE_DATA_DIR: folder });
    expect(await server.ended).toBe(1);
    expect(server.stderr().trimEnd().split("\n").at(-1)).toMatch(GIVEN_UP);
    expect(server.stderr()).not.toMatch(/^ {4}at /m);
  });
});

/** Works like a full disk: no file of the process may grow. */
function fill(pids: readonly number[], isFull: boolean): void {
  for (const pid of pids) {
    execFileSync("prlimit", ["--pid", String(pid), `--fsize=${isFull ? "0:" : "unlimited:unlimited"}`]);
  }
}

test("a full disk is 503, and everything works again once there is room", async () => {
  const folder = temporaryFolder();
  const server = await startOn(folder);
  const { base_url, owner_key: key, org_id } = server.demo;
  const call = callerAt(base_url);
  const run = (id: string) =>
    call("POST", "/v1/runs", {
      key,
      body: {
        id,
        started_at: new Date().toISOString(),
        model: "m",
        usage: { input_tokens: 1, output_tokens: 1 },
        cost_usd: "0.01",
      },
    });
  expect((await run("before")).status).toBe(201);
  const pids = [server.process.pid ?? 0, runtimeOf(folder)];
  fill(pids, true);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    expect(await run("during")).toMatchObject({
      status: 503,
      body: { error: { code: "service_unavailable" } },
    });
  }
  const asked = await call("POST", "/v1/edge/decision", { key, body: { estimate: { cost_usd: "1" } } });
  expect(asked.status).toBe(503);
  // Longer than the supervisor's interval between looks at the log.
  await sleep(2500);
  fill(pids, false);
  await expect.poll(async () => (await run("after")).status).toBe(201);
  const listed = await call("GET", "/v1/runs", { key });
  expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual(["after", "before"]);
  expect((await call("GET", `/v1/orgs/${org_id}`, { key })).status).toBe(200);
  expect(runtimeOf(folder)).toBe(pids[1]);
});

/** Root can write anywhere unless it loses this capability. */
function startWithoutPrivilege(folder: string): { status: number | null; stderr: string } {
  const bound =
    process.getuid?.() === 0 ? ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] : [];
  const args = [...bound.slice(1), ...(bound.length > 0 ? [process.execPath] : []), "scripts/start.ts"];
  try {
    execFileSync(bound[0] ?? process.execPath, args, {
      env: { PATH: process.env["PATH"], PORT: "0", SLUICE_DATA_DIR: folder },
      stdio: ["ignore", "pipe", "pipe"],
      ...PATIENT,
    });
    return { status: 0, stderr: "" };
  } catch (error) {
    const { status, stderr } = error as { status: number | null; stderr: Buffer };
    return { status, stderr: String(stderr) };
  }
}

test("a read-only folder is refused in one line that names it, even if it was used before", async () => {
  const used = temporaryFolder();
  await (await startServer({ port: 0, dataDir: used })).dispose();
  for (const folder of [temporaryFolder(), used]) {
    chmodSync(folder, 0o500);
    const { status, stderr } = startWithoutPrivilege(folder);
    expect(stderr).toMatch(/^sluice: cannot write to the data folder [^\n]+ SLUICE_DATA_DIR[^\n]+\n$/);
    expect(stderr).toContain(folder);
    expect(status).toBe(1);
    chmodSync(folder, 0o700);
  }
  chmodSync(join(used, "secrets.env"), 0o400);
  expect(startWithoutPrivilege(used).stderr).toMatch(/^sluice: [^\n]*secrets\.env[^\n]*\n$/);
});

test("demo.json exists once /healthz returns 200, and a folder that was open to all is private with all its files", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "state"));
  writeFileSync(join(folder, "sluice.log"), "");
  for (const name of ["sluice.log", "state", "."]) chmodSync(join(folder, name), 0o777);
  const [port = 0] = await claimPorts(0, 1);
  const command = runScript("start.ts", [], { PORT: String(port), SLUICE_DATA_DIR: folder });
  const until = performance.now() + PATIENCE_MS;
  let status = 0;
  while (status !== 200 && performance.now() < until) {
    await sleep(5);
    status = await fetch(`http://127.0.0.1:${port}/healthz`).then(
      (answer) => answer.status,
      () => 0,
    );
    expect([0, 200, 503]).toContain(status);
  }
  expect([status, existsSync(join(folder, "demo.json"))]).toEqual([200, true]);
  await command.says("/v1/meta/deprecations");
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const open = readdirSync(folder).filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0);
  expect(open).toEqual([]);
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(["demo.json", "secrets.env", "sluice.log"]));
});
