import { beforeEach, expect, test, vi } from "vitest";
import type { Env } from "../../src/edge/env.ts";
import { settingsOf } from "../../src/settings.ts";
import { DEEP_HEALTH, deepHealth } from "../../src/web/deep-health.ts";
import { readDamageReports, reportDamage } from "../../src/platform/damage-reports.ts";
import { damagedOrgs } from "../../src/web/damaged-orgs.ts";
import { bucket, filesOf, newArchivist } from "../support/archive.ts";
import { call, env, newOrg, operatorKey, serve } from "../support/worker.ts";

const settings = () => settingsOf(env);
let at = Date.now();
/** Long after the last look, so that it looks again. */
const look = (bindings: Partial<Env>) => {
  at += 10 * DEEP_HEALTH.everyMs;
  return deepHealth({ ...env, ...bindings }, settings(), at);
};
// Other files share this database, and their objects break on purpose.
beforeEach(() => env.DB.prepare("DELETE FROM damage_reports").run());

const broken = <T extends object>(methods: readonly (keyof T)[], fail: () => unknown) =>
  Object.fromEntries(methods.map((method) => [method, fail])) as unknown as T;

test("the operator sees whether the database, the archive and an object answer", async () => {
  const { status, body } = await call("GET", "/healthz?deep=1", { key: operatorKey() });
  expect([status, body]).toEqual([
    200,
    { status: "ok", region: "local", checks: { database: "ok", archive: "ok", object: "ok" }, damaged: [] },
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

const damaged = (bindings: Partial<Env> = {}) => {
  at += 10 * DEEP_HEALTH.everyMs;
  return damagedOrgs({ ...env, ...bindings }, settings(), at);
};

test("an org whose file of the archive is gone is named until the file is back", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const org = await newArchivist();
  const [file = ""] = await filesOf(org.id);
  const bytes = (await (await bucket().get(file))?.arrayBuffer()) ?? new ArrayBuffer(0);
  expect(await damaged()).toEqual([]);
  await bucket().delete(file);
  expect((await call("GET", "/v1/runs/old-5", { key: org.key })).status).toBe(503);
  const named = { org_id: org.id, part: "archive", file };
  await expect
    .poll(() => damaged())
    .toEqual([expect.objectContaining({ ...named, why: expect.stringContaining("It is missing") })]);
  const failing = await call("GET", "/healthz?deep=1", { key: operatorKey() });
  expect([failing.status, failing.body.status, failing.body.damaged]).toEqual([
    503,
    "failing",
    [expect.objectContaining(named)],
  ]);
  await bucket().put(file, bytes);
  expect(await damaged()).toEqual([]);
  expect(await readDamageReports(env.DB, 1)).toEqual([]);
  logged.mockRestore();
});

test("an org whose database is damaged is named, and one that was reported by mistake is not", async () => {
  const org = await newOrg();
  const report = { orgId: org.id, part: "database", file: null, reportedAt: Date.now() } as const;
  await reportDamage(env.DB, report);
  const malformed = new Error("database disk image is malformed: SQLITE_CORRUPT");
  const failing = (examine: () => unknown) => {
    const object = { examine };
    return { getByName: () => object } as unknown as Env["ORG"];
  };
  const named = { org_id: org.id, part: "database", file: null };
  const because = (why: string) => [expect.objectContaining({ ...named, why: expect.stringContaining(why) })];
  expect(await damaged({ ORG: failing(() => Promise.reject(malformed)) })).toEqual(because("malformed"));
  const found = { is: "damaged", why: "row 3 missing from index" };
  expect(await damaged({ ORG: failing(() => Promise.resolve(found)) })).toEqual(because("row 3"));
  const unknown = failing(() => Promise.resolve({ is: "unknown" }));
  expect(await damaged({ ORG: unknown })).toEqual(because("too large"));
  expect(await damaged()).toEqual([]);
  expect(await readDamageReports(env.DB, 1)).toEqual([]);
});

test("what nobody can look into is believed for an hour", async () => {
  const reportedAt = at - 3_600_001;
  await reportDamage(env.DB, { orgId: "org_large", part: "database", file: null, reportedAt });
  const object = { examine: () => Promise.resolve({ is: "unknown" }) };
  expect(await damaged({ ORG: { getByName: () => object } as unknown as Env["ORG"] })).toEqual([]);
  expect(await readDamageReports(env.DB, 1)).toEqual([]);
});

test("the same damage is written once a minute, and the latest ten reports are looked at", async () => {
  let writes = 0;
  const DB = { prepare: () => ((writes += 1), env.DB.prepare("SELECT 1")) } as unknown as D1Database;
  const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const report = { orgId: "org_often", part: "archive", file: "f", reportedAt: 0 } as const;
  for (const reportedAt of [0, 30_000, 59_999, 60_000]) await reportDamage(DB, { ...report, reportedAt });
  logged.mockRestore();
  expect(writes).toBe(2);
  for (let org = 0; org < 12; org += 1) {
    await reportDamage(env.DB, { orgId: `org_${org}`, part: "database", file: null, reportedAt: at });
  }
  let examined = 0;
  const object = { examine: () => Promise.reject(new Error(`broken ${(examined += 1)}`)) };
  const all = await damaged({ ORG: { getByName: () => object } as unknown as Env["ORG"] });
  expect([all.length, examined]).toEqual([10, 10]);
});
