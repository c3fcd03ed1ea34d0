import { expect, test, vi } from "vitest";
import type { Env } from "../../src/edge/env.ts";
import { settingsOf } from "../../src/settings.ts";
import { DEEP_HEALTH, deepHealth } from "../../src/web/deep-health.ts";
import { call, env, newOrg, operatorKey, serve } from "../support/worker.ts";

const settings = () => settingsOf(env);
let at = Date.now();
/** Long after the last look, so that it looks again. */
const look = (bindings: Partial<Env>) => {
  at += 10 * DEEP_HEALTH.everyMs;
  return deepHealth({ ...env, ...bindings }, settings(), at);
};
const broken = <T extends object>(methods: readonly (keyof T)[], fail: () => unknown) =>
  Object.fromEntries(methods.map((method) => [method, fail])) as unknown as T;

test("the operator sees whether the database, the archive and an object answer", async () => {
  const { status, body } = await call("GET", "/healthz?deep=1", { key: operatorKey() });
  expect([status, body]).toEqual([
    200,
    { status: "ok", region: "local", checks: { database: "ok", archive: "ok", object: "ok" } },
  ]);
});

test("nobody else does, and nothing is asked for them", async () => {
  const org = await newOrg();
  for (const key of [org.ownerKey, "nonsense", undefined]) {
    const refused = await call("GET", "/healthz?deep=1", key === undefined ? {} : { key });
    expect([refused.status, refused.body.error.code, refused.text.includes("checks")]).toEqual([
      401,
      "unauthorized",
      false,
    ]);
  }
  const plain = await serve("http://sluice.test/healthz");
  expect(await plain.json()).toEqual({ status: "ok", region: "local" });
});

test("each part that fails is named, and the others are not", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const fail = () => {
    throw new Error("away");
  };
  expect(await look({ DB: broken<D1Database>(["prepare"], fail) })).toEqual({
    database: "failing",
    archive: "ok",
    object: "ok",
  });
  expect(
    await look({ ARCHIVE: broken<R2Bucket>(["head"], () => Promise.reject(new Error("away"))) }),
  ).toEqual({ database: "ok", archive: "failing", object: "ok" });
  const objects = broken<Env["ORG"]>(["getByName", "idFromName", "get", "jurisdiction"], fail);
  expect(await look({ ORG: objects })).toEqual({ database: "ok", archive: "ok", object: "failing" });
  expect(logged.mock.calls.map(([line]) => (JSON.parse(String(line)) as { part: string }).part)).toEqual([
    "database",
    "archive",
    "object",
  ]);
  logged.mockRestore();
  const { ARCHIVE: _, ...without } = env;
  at += 10 * DEEP_HEALTH.everyMs;
  expect((await deepHealth(without, settings(), at)).archive).toBe("unbound");
});

test("a part that never answers is too slow, and the answer waits no longer", async () => {
  const began = Date.now();
  const silent = broken<R2Bucket>(["head"], () => new Promise(() => undefined));
  expect(await look({ ARCHIVE: silent })).toEqual({ database: "ok", archive: "too_slow", object: "ok" });
  expect(Date.now() - began).toBeGreaterThanOrEqual(DEEP_HEALTH.patienceMs - 100);
});

test("however often it is asked, it looks once in a while", async () => {
  let looks = 0;
  const counting = broken<R2Bucket>(["head"], () => Promise.resolve((looks += 1)));
  at += 10 * DEEP_HEALTH.everyMs;
  const bindings = { ...env, ARCHIVE: counting };
  await Promise.all(Array.from({ length: 50 }, (_, n) => deepHealth(bindings, settings(), at + n)));
  await deepHealth(bindings, settings(), at + DEEP_HEALTH.everyMs - 1);
  expect(looks).toBe(1);
  await deepHealth(bindings, settings(), at + DEEP_HEALTH.everyMs);
  expect(looks).toBe(2);
});
