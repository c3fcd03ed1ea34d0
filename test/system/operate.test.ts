import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ensureDemo } from "../../scripts/demo.ts";
import { startServer } from "../../scripts/server.ts";
import { runScript } from "../support/command.ts";
import { temporaryFolder } from "../support/folder.ts";
import { call, callerAt, newOrg, ownServer, sharedServer } from "../support/server.ts";

describe("npm run reset", () => {
  test("deletes everything: the next start creates a new demo org", async () => {
    const folder = temporaryFolder();
    const demoOfStart = async () => {
      const server = await startServer({ port: 0, dataDir: folder });
      const demo = await ensureDemo(server);
      await server.dispose();
      return demo;
    };
    const first = await demoOfStart();
    const reset = runScript("reset.ts", [], { SLUICE_DATA_DIR: folder });
    expect(await reset.ended).toBe(0);
    expect(readdirSync(folder)).toEqual(["lock"]);
    const second = await demoOfStart();
    expect(second.org_id).not.toBe(first.org_id);
    expect(second.operator_key).not.toBe(first.operator_key);
  });

  test("changes nothing while a server uses the folder", async () => {
    const { dataDir } = sharedServer();
    const reset = runScript("reset.ts", [], { SLUICE_DATA_DIR: dataDir });
    expect(await reset.ended).toBe(1);
    expect(reset.stderr()).toContain("another server is using");
    expect(existsSync(join(dataDir, "secrets.env"))).toBe(true);
  });

  test("of a missing folder does not create it", async () => {
    const folder = join(temporaryFolder(), "none");
    const reset = runScript("reset.ts", [], { SLUICE_DATA_DIR: folder });
    expect(await reset.ended).toBe(0);
    expect(existsSync(folder)).toBe(false);
  });
});

const tail = (dataDir: string, ...args: string[]) => runScript("tail.ts", args, { SLUICE_DATA_DIR: dataDir });

describe("npm run tail", () => {
  test("finds a request by the trace id of its response, on any isolate", async () => {
    const { urls, dataDir } = sharedServer();
    const org = await newOrg();
    for (const url of urls) {
      const answer = await callerAt(url)("GET", `/v1/orgs/${org.id}`, { key: org.ownerKey });
      const traceId = answer.headers.get("x-svc-trace-id") ?? "";
      // The script waits half a second for the line. A busy machine may write it later.
      await expect.poll(() => readFileSync(join(dataDir, "sluice.log"), "utf8")).toContain(traceId);
      const found = tail(dataDir, traceId);
      expect(await found.ended).toBe(0);
      expect(found.stdout().trimEnd().split("\n")).toHaveLength(1);
      expect(JSON.parse(found.stdout())).toMatchObject({
        route: "/v1/orgs/{id}",
        method: "GET",
        status: 200,
        org: org.id,
      });
    }
  });

  test("finds a request in a rotated log", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "sluice.log.1"), `{"trace":"old"}\n`);
    writeFileSync(join(folder, "sluice.log"), `{"trace":"new"}\n`);
    const found = tail(folder, "old");
    expect(await found.ended).toBe(0);
    expect(found.stdout()).toBe(`{"trace":"old"}\n`);
  });

  test.for<[string, string[], string]>([
    ["an id that is not in the log", ["no-such-id"], "no-such-id"],
    ["no id at all", [], "<trace id>"],
  ])("reports it when it is given %s", async ([, args, named]) => {
    const found = tail(temporaryFolder(), ...args);
    expect(await found.ended).toBe(1);
    expect(found.stderr()).toMatch(/^sluice: [^\n]+\n$/);
    expect(found.stderr()).toContain(named);
  });
});

describe("no event of a server loses data", () => {
  test("an org survives the eviction of its object and a crash of the runtime", async () => {
    const server = await ownServer({ isolates: 2 });
    const key = server.settings["SVC_OPERATOR_KEY"] ?? "";
    const [first, second] = server.urls.map(callerAt);
    const made = await first?.("POST", "/v1/admin/orgs", { key, body: { name: "Tough" } });
    const read = () => second?.("GET", `/v1/orgs/${made?.body.org.id}`, { key: made?.body.owner_key });
    expect(await read()).toMatchObject({ status: 200, body: { name: "Tough" } });
    await server.evict(made?.body.org.id);
    expect(await read()).toMatchObject({ status: 200, body: { name: "Tough" } });
    await server.crash();
    expect(await read()).toMatchObject({ status: 200, body: { name: "Tough" } });
  });

  test("every isolate serves the same orgs", async () => {
    const org = await newOrg();
    for (const url of sharedServer().urls) {
      const answer = await callerAt(url)("GET", `/v1/orgs/${org.id}`, { key: org.ownerKey });
      expect(answer.body.id).toBe(org.id);
    }
    expect((await call("GET", "/healthz")).status).toBe(200);
  });
});
