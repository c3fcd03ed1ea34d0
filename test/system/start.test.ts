import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Demo, ensureDemo } from "../../scripts/demo.ts";
import { startServer } from "../../scripts/server.ts";
import { isAlive, runScript, runtimeOf, startOn } from "../support/command.ts";
import { temporaryFolder } from "../support/folder.ts";
import { callerAt } from "../support/server.ts";

const paste = (line: string): string =>
  execFileSync("bash", ["-c", line], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

describe("npm start", () => {
  test("prints and stores what a newcomer needs, and what it prints works", async () => {
    const folder = temporaryFolder();
    const server = await startOn(folder);
    const { demo } = server;
    for (const value of Object.values(demo)) expect(server.stdout()).toContain(value);
    for (const page of ["/console", "/docs"]) expect(server.stdout()).toContain(`${demo.base_url}${page}`);
    expect(statSync(join(folder, "demo.json")).mode & 0o777).toBe(0o600);
    const call = callerAt(demo.base_url);
    const org = await call("GET", `/v1/orgs/${demo.org_id}`, { key: demo.owner_key });
    expect(org).toMatchObject({ status: 200, body: { id: demo.org_id, name: "Demo" } });
    const orgs = await call("GET", "/v1/admin/orgs", { key: demo.operator_key });
    expect(orgs.body.data).toHaveLength(1);
    const curls = server.stdout().match(/^ {2}curl (?:.*\\\n)*.*$/gm) ?? [];
    const [allowed, refused, hello = "", deprecations] = curls.map((line, at) =>
      at === 2 ? line : paste(line),
    );
    expect(allowed).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*"decision":"allow"/);
    expect(refused).toMatch(/^HTTP\/1\.1 402 [^]*"code":"budget_exceeded"/);
    expect(JSON.parse(deprecations ?? "")).toContainEqual(expect.objectContaining({ route: "/v1/forecast" }));
    const answers: string[] = [];
    while (answers.length < 12 && !answers.at(-1)?.startsWith("HTTP/1.1 402 ")) {
      answers.push(paste(hello));
      await expect
        .poll(async () => (await call("GET", "/v1/runs", { key: demo.owner_key })).body.data.length)
        .toBe(answers.filter((answer) => answer.startsWith("HTTP/1.1 200 ")).length);
    }
    expect(answers.length).toBeGreaterThan(2);
    expect(answers.at(-1)).toContain('"code":"budget_exceeded"');
    const [run] = (await call("GET", "/v1/runs", { key: demo.owner_key })).body.data;
    expect(run).toMatchObject({ model: "gpt-4o-mini", workflow_id: "hello", cost_source: "price_book" });
    await stop(server, folder, "SIGTERM");
  });

  test("keeps its data, demo org and secrets over a stop and over being killed", async () => {
    const folder = temporaryFolder();
    const server = await startServer({ port: 0, dataDir: folder });
    const first = await ensureDemo(server);
    const made = await callerAt(first.base_url)("POST", "/v1/admin/orgs", {
      key: first.operator_key,
      body: { name: "Kept" },
    });
    await server.dispose();
    const second = await startOn(folder);
    await expectKept(second.demo);
    const runtime = runtimeOf(folder);
    second.process.kill("SIGKILL");
    await second.ended;
    await expect.poll(() => isAlive(runtime)).toBe(false);
    const third = await startOn(folder);
    await expectKept(third.demo);
    expect(await refusedLine({ SLUICE_DATA_DIR: folder })).toContain("another server is using");
    expect((await callerAt(third.demo.base_url)("GET", "/healthz")).status).toBe(200);

    async function expectKept(demo: Demo): Promise<void> {
      const { base_url, proxy_url, stand_in_url } = demo;
      expect(demo).toEqual({ ...first, base_url, proxy_url, stand_in_url });
      const call = callerAt(base_url);
      const kept = await call("GET", `/v1/orgs/${made.body.org.id}`, { key: made.body.owner_key });
      expect(kept).toMatchObject({ status: 200, body: { name: "Kept" } });
      const orgs = await call("GET", "/v1/admin/orgs", { key: demo.operator_key });
      expect(orgs.body.data).toHaveLength(2);
    }
  });

  test("lets any SVC_* environment variable override its default, and ignores an unknown one with one line that names it", async () => {
    const operatorKey = "an-operator-key-of-my-own-0123456789";
    const folder = temporaryFolder();
    const server = await startOn(folder, {
      SVC_REGION: "eu-test",
      SVC_OPERATOR_KEY: operatorKey,
      SVC_COHORT_FLOR: "20",
    });
    expect(server.demo.operator_key).toBe(operatorKey);
    const remarks = server.stderr().replaceAll(/^… .*\n/gm, "");
    expect(remarks).toBe("sluice: ignoring SVC_COHORT_FLOR: it is not a setting of this version\n");
    const answer = await callerAt(server.demo.base_url)("GET", "/healthz");
    expect([answer.status, answer.headers.get("x-svc-region")]).toEqual([200, "eu-test"]);
    await stop(server, folder, "SIGHUP");
  });
});

/** A signal ends a server with status 0 and leaves nothing running. */
async function stop(
  server: Awaited<ReturnType<typeof startOn>>,
  folder: string,
  signal: NodeJS.Signals,
): Promise<void> {
  const runtime = runtimeOf(folder);
  expect(isAlive(runtime)).toBe(true);
  // Twice, as from a terminal under npm.
  server.process.kill(signal);
  server.process.kill(signal);
  expect(await server.ended).toBe(0);
  expect(isAlive(runtime)).toBe(false);
  await expect(fetch(server.demo.base_url)).rejects.toThrow("fetch failed");
}

/** The output of a start that is refused. */
async function refusedLine(environment: NodeJS.ProcessEnv): Promise<string> {
  const folder = temporaryFolder();
  const command = runScript("start.ts", [], { PORT: "0", SLUICE_DATA_DIR: folder, ...environment });
  expect(await command.ended).toBe(1);
  expect(command.stdout()).toBe("");
  expect(command.stderr()).toMatch(/^sluice: [^\n]+\n$/);
  return command.stderr();
}

describe("a start that cannot work ends with one clear line and exit status 1", () => {
  test.for<[string, NodeJS.ProcessEnv, string]>([
    ["a secret is too short", { SVC_KEY_PEPPER: "hunter2" }, "SVC_KEY_PEPPER"],
    ["the folder cannot be written", { SLUICE_DATA_DIR: "/proc/1/sluice" }, "/proc/1/sluice"],
  ])("%s", async ([, environment, named]) => {
    const line = await refusedLine(environment);
    expect(line).toContain(named);
    expect(line).not.toContain("hunter2");
  });

  test("the port is in use", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => {
      other.listen(0, "127.0.0.1", resolve);
    });
    const { port } = other.address() as { port: number };
    const line = await refusedLine({ PORT: String(port) });
    other.close();
    expect(line).toBe(`sluice: port ${port} is in use: set PORT to a different port\n`);
  });
});

test("git ignores the data folder", () => {
  expect(execFileSync("git", ["check-ignore", ".sluice/demo.json"], { encoding: "utf8" })).toBe(
    ".sluice/demo.json\n",
  );
});
