import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import type { Envelope } from "../../src/org/kernel/door.ts";
import { call, env, newOrg } from "../support/worker.ts";

const OPERATOR: Envelope = {
  actor: { kind: "operator", id: "operator", role: "operator", onBehalfOf: null, address: null },
  trace: "test",
  idempotency: null,
  ifMatch: null,
};

const run = {
  id: "a-run",
  started_at: new Date().toISOString(),
  model: "m",
  usage: { input_tokens: 1, output_tokens: 1 },
  cost_usd: "0.01",
};

async function movingOrg() {
  const org = await newOrg();
  const object = env.ORG.getByName(org.id);
  const departing = await object.beginMove("us", false, OPERATOR);
  if (!("kind" in departing)) throw new Error("it does not move");
  return { org, object, move: departing.move };
}

test("an org with files in the archive moves only once they are said to be copied", async () => {
  const org = await newOrg();
  const object = env.ORG.getByName(org.id);
  await runInDurableObject(object, (_, { storage }) =>
    storage.sql.exec(
      `INSERT INTO run_files (first_seq, state, name, runs, bytes, blocks_at, started_min, started_max, recorded_min,
         recorded_max, cost, input_tokens, output_tokens, groups)
       VALUES (1, 'made', 'a file', 1, 0, 0, 0, 0, 0, 0, '0', 0, 0, x'')`,
    ),
  );
  expect(await object.beginMove("us", false, OPERATOR)).toMatchObject({ code: "conflict" });
  expect(await object.moveUnderWay()).toBeNull();
  expect(await object.beginMove("us", true, OPERATOR)).toMatchObject({ kind: "copied" });
});

test("a move that nobody goes on with ends by itself, and writes go on", async () => {
  const { org, object } = await movingOrg();
  await runInDurableObject(object, (instance, { storage }) => {
    instance.alarm();
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
  expect(await woken.beginMove("us", false, OPERATOR)).toMatchObject({ kind: "unknown" });
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
