import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import type { ImportedOrg } from "../../../src/org/backup/import.ts";
import type { Move } from "../../../src/org/moving/state.ts";
import { archiveOf, bindArchive } from "../../../src/storage/segments/archive-binding.ts";
import { filesOf, newArchivist, sendRuns } from "../../support/archive.ts";
import { backup, forget, OPERATOR, sendArchive } from "../../support/backup.ts";
import { rowsOf } from "../../support/rows.ts";
import { call, env, newOrg } from "../../support/worker.ts";

const run = {
  id: "a-run",
  started_at: new Date().toISOString(),
  model: "m",
  usage: { input_tokens: 1, output_tokens: 1 },
  cost_usd: "0.01",
};

type OrgStub = ReturnType<typeof env.ORG.getByName>;

async function frozen(object: OrgStub, isArchiveCopied = false): Promise<Move> {
  const opened = await object.beginMove("us", OPERATOR);
  if (!("kind" in opened) || opened.kind !== "opened") throw new Error("it does not move");
  const { archiveId } = opened;
  const made = await object.freezeMove("us", { archiveId, isArchiveCopied }, OPERATOR);
  if (!("kind" in made) || made.kind !== "frozen") throw new Error("it is not frozen");
  return made.move;
}

async function movingOrg() {
  const org = await newOrg();
  const object = env.ORG.getByName(org.id);
  return { org, object, move: await frozen(object) };
}

test.each([
  ["are deleted, because their runs went with it", false, 0],
  ["stay if they are said to be copied", true, 1],
] as const)("files of an org that left %s", async (_name, isArchiveCopied, files) => {
  const org = await newArchivist();
  const object = env.ORG.getByName(org.id);
  const move = await frozen(object, isArchiveCopied);
  expect(await object.commitMove(move.id, "attempt")).toBe(true);
  expect(await object.endMove(move.id, "left")).toBe(true);
  await runInDurableObject(object, (instance) => instance.alarm());
  expect((await filesOf(org.id)).length).toBe(files);
  expect(await object.whereabouts()).toEqual({ movedTo: "us" });
});

test("files that could not be deleted are deleted later, also if the org has come back meanwhile", async () => {
  const org = await newArchivist();
  const archive = await backup(org.id);
  const object = env.ORG.getByName(org.id);
  const move = await frozen(object);
  await object.commitMove(move.id, "attempt");
  await runInDurableObject(object, async (instance, { storage }) => {
    const bound = archiveOf(storage.sql);
    const broken = { delete: () => Promise.reject(new Error("no answer")) } as unknown as R2Bucket;
    bindArchive(storage.sql, { ...bound, bucket: broken });
    await instance.endMove(move.id, "left");
    await expect(instance.alarm()).rejects.toThrow("no answer");
    bindArchive(storage.sql, bound);
  });
  const [earlier = ""] = await filesOf(org.id);
  await runInDurableObject(object, (_, state) => state.abort("evicted")).catch(() => undefined);
  const home = env.ORG.getByName(org.id);
  await home.beginImport("return", "bak_return");
  await home.stageImport("return", 0, archive.toString("base64"));
  const { archiveId } = (await home.finishImport("return", OPERATOR)) as ImportedOrg;
  const archived = earlier.replace("/runs/", `/runs/${archiveId}/`);
  await expect.poll(() => filesOf(org.id)).toEqual([archived]);
  expect((await sendRuns(org, "old", 1000)).body).toMatchObject({ duplicates: 1000 });
});

test("a move that nobody goes on with ends by itself, and writes go on", async () => {
  const { org, object } = await movingOrg();
  await runInDurableObject(object, async (instance, { storage }) => {
    await instance.alarm();
    expect(instance.moveUnderWay()).not.toBeNull();
    storage.sql.exec("UPDATE moving SET until = 0");
  });
  // Only a life that reads it anew knows the changed time.
  await runInDurableObject(object, (_, state) => state.abort("evicted")).catch(() => undefined);
  const woken = env.ORG.getByName(org.id);
  await runInDurableObject(woken, (instance) => instance.alarm());
  expect(await woken.moveUnderWay()).toBeNull();
  expect((await call("POST", "/v1/runs", { key: org.ownerKey, body: run })).status).toBe(201);
});

test("a move that may have reached the other region does not end by itself", async () => {
  const { org, object, move } = await movingOrg();
  expect(await object.commitMove("another", "attempt")).toBe(false);
  expect(await object.commitMove(move.id, "attempt")).toBe(true);
  await runInDurableObject(object, (_, { storage }) => void storage.sql.exec("UPDATE moving SET until = 0"));
  await runInDurableObject(object, (_, state) => state.abort("evicted")).catch(() => undefined);
  const woken = env.ORG.getByName(org.id);
  await runInDurableObject(woken, (instance) => instance.alarm());
  expect(await woken.moveUnderWay()).toMatchObject({ attempt: "attempt" });
  // Whoever asks again learns that, and copies nothing.
  expect(await woken.beginMove("us", OPERATOR)).toMatchObject({ kind: "unknown" });
  expect(await woken.endMove("another", "left")).toBe(false);
  expect(await woken.endMove(move.id, "left")).toBe(true);
  expect(await woken.whereabouts()).toEqual({ movedTo: "us" });
});

test("nothing leaves that was not said to have reached the other region", async () => {
  const { org, object, move } = await movingOrg();
  expect(await object.endMove(move.id, "left")).toBe(false);
  expect(await object.endMove(move.id, "stayed")).toBe(true);
  expect(await object.commitMove(move.id, "attempt")).toBe(false);
  expect((await call("POST", "/v1/runs", { key: org.ownerKey, body: run })).status).toBe(201);
});

test("an org does not begin to leave for a region that its rule excludes", async () => {
  const org = await newOrg();
  const body = { regions: ["local"] };
  expect((await call("PUT", `/v1/orgs/${org.id}/residency`, { key: org.ownerKey, body })).status).toBe(200);
  const object = env.ORG.getByName(org.id);
  expect(await object.beginMove("us", OPERATOR)).toMatchObject({ code: "residency_violation" });
  expect(await rowsOf(org.id, "SELECT n FROM backup_frames")).toEqual([]);
});

/** The version of the limits that an isolate is told. What it has learned is of one version. */
async function versionOf(orgId: string): Promise<string> {
  const ask = { estimate: { cost_usd: "0.01" } } as Parameters<OrgStub["decide"]>[0]["ask"];
  const reply = await env.ORG.getByName(orgId).decide({
    ask,
    keyId: "key",
    wantsPlan: true,
    envelope: OPERATOR,
    report: null,
  });
  if (reply === null) throw new Error("no such org");
  return reply.version;
}

test("what isolates have learned of an org is never taken for what it is after it came from elsewhere", async () => {
  const org = await newOrg();
  const versions: string[] = [];
  const archive = await backup(org.id);
  const body = { scope_kind: "org", limit_usd: "100", period: "month", mode: "enforce" };
  for (let life = 0; life < 3; life += 1) {
    for (let nth = 0; nth < 3; nth += 1) {
      versions.push(await versionOf(org.id));
      await call("POST", `/v1/orgs/${org.id}/budgets`, { key: org.ownerKey, body });
    }
    await forget(org.id);
    expect((await sendArchive(archive)).status).toBe(201);
  }
  expect(new Set(versions).size).toBe(versions.length);
});
