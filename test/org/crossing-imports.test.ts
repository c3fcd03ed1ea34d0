import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { backup, forget, OPERATOR, sendArchive } from "../support/backup.ts";
import { deploymentWith, FarRegion } from "../support/far-region.ts";
import { env, newOrg } from "../support/worker.ts";

/** Imports of one org into two regions at the same time. At most one of them makes it. */

const LAST_BYTES = 300;

async function importable() {
  const org = await newOrg();
  const archive = await backup(org.id);
  await forget(org.id);
  const us = new FarRegion();
  const send = deploymentWith({ us });
  /** The last bytes come only when the other region was asked and `meanwhile` is over. */
  const upload = (meanwhile: () => void = () => undefined) => {
    const asked = Promise.withResolvers<void>();
    const { onCall } = us;
    us.onCall = async (method, when) => {
      if (method === "whereabouts" && when === "after") asked.resolve();
      await onCall(method, when);
    };
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(new Uint8Array(archive.subarray(0, -LAST_BYTES)));
        await asked.promise;
        meanwhile();
        controller.enqueue(new Uint8Array(archive.subarray(-LAST_BYTES)));
        controller.close();
      },
    });
    return send("POST", "/v1/admin/orgs/import", body);
  };
  return { us, upload, object: () => env.ORG.getByName(org.id) };
}

test("an org that came to another region during the upload is not imported", async () => {
  const { us, upload, object } = await importable();
  const { status, body } = await upload(() => (us.has = "bak_there"));
  expect([status, body.error.message]).toEqual([409, "This organization exists already, in region far."]);
  expect([await object().whereabouts(), await object().arriving()]).toEqual([null, null]);
});

test("an import says that it may make the org before it asks whether another one may", async () => {
  const { us, upload, object } = await importable();
  const told: unknown[] = [];
  us.onCall = async (method, when) => {
    if (method === "arriving" && when === "before") told.push(await object().arriving());
  };
  expect((await upload()).status).toBe(201);
  expect(told).toEqual([{ homeRegion: "local", attempt: expect.any(String) }]);
  expect(await object().arriving()).toEqual({ homeRegion: "local", attempt: null });
});

test("of two imports that are about to end, one that learns of the other does not make the org", async () => {
  const { us, upload, object } = await importable();
  const { status, body } = await upload(() => (us.imports = "attempt"));
  expect([status, body.error.code]).toEqual([409, "conflict"]);
  expect(body.error.message).toMatch(/^This organization is being imported into region far\./);
  // It gave way, and can be sent again once the other one is over.
  expect([await object().whereabouts(), await object().arriving()]).toEqual([null, null]);
  us.imports = null;
  expect((await upload()).status).toBe(201);
});

test("nothing is imported while another region does not answer", async () => {
  const { us, upload, object } = await importable();
  us.onCall = (method) => {
    if (method === "arriving") throw new Error("the line is cut");
  };
  expect((await upload()).status).toBe(503);
  expect([await object().whereabouts(), await object().arriving()]).toEqual([null, null]);
});

test("an import that was given up or replaced does not make the org", async () => {
  const { object } = await importable();
  await object().beginImport("first", "bak_first");
  await object().beginImport("second", "bak_second");
  expect(await object().sealImport("first")).toBe(false);
  expect(await object().sealImport("second")).toBe(true);
  await object().dropImport("first");
  expect(await object().arriving()).toEqual({ homeRegion: "local", attempt: "second" });
  await object().beginImport("third", "bak_third");
  expect(await object().arriving()).toBeNull();
  expect(await object().finishImport("second", OPERATOR)).toMatchObject({ code: "conflict" });
});

test("an import that is refused at its end keeps no other one waiting", async () => {
  const org = await newOrg();
  await runInDurableObject(env.ORG.getByName(org.id), (_, { storage }) => {
    storage.sql.exec("INSERT INTO residency (one, regions) VALUES (1, ?)", '["eu"]');
  });
  const archive = await backup(org.id);
  await forget(org.id);
  expect((await sendArchive(archive)).body.error.code).toBe("residency_violation");
  expect(await env.ORG.getByName(org.id).arriving()).toBeNull();
});
