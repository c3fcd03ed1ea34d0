import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { FrameReader, FrameWriter } from "../../../src/domain/archive/frames.ts";
import { SNAPSHOT } from "../../../src/gate/snapshot/snapshot.ts";
import { backup, forget, OPERATOR, sendArchive as send } from "../../support/backup.ts";
import { rowsOf } from "../../support/rows.ts";
import { call, env, newOrg, operatorKey, type TestOrg } from "../../support/worker.ts";

const key = operatorKey();

interface Used extends TestOrg {
  readonly runId: string;
  readonly budgetId: string;
}

/** An org with something in most of its tables. */
async function usedOrg(): Promise<Used> {
  const org = await newOrg();
  const own = (method: string, path: string, body: object) =>
    call(method, `/v1/orgs/${org.id}${path}`, { key: org.ownerKey, body });
  const budget = await own("POST", "/budgets", {
    scope_kind: "org",
    limit_usd: "100",
    period: "month",
    mode: "enforce",
  });
  await own("POST", "/webhooks", { url: "http://receiver.test/hook", events: ["org.suspended"] });
  const runs = Array.from({ length: 30 }, (_, index) => ({
    started_at: new Date(Date.now() - index * 1000).toISOString(),
    model: `m${index % 3}`,
    customer_id: "c 'quoted' \u0000?".replace("\u0000?", "end"),
    usage: { input_tokens: 10, output_tokens: 1 },
    cost_usd: "1.000000001",
    metadata: { text: 'a "quote", a \\ and \u00e9\u{1f600}' },
  }));
  const recorded = await call("POST", "/v1/runs/bulk", { key: org.ownerKey, body: { runs } });
  expect(recorded.body.accepted).toBe(30);
  await call("POST", "/v1/edge/decision", { key: org.ownerKey, body: { estimate: { cost_usd: "5" } } });
  return { ...org, runId: recorded.body.results[0].id, budgetId: budget.body.id };
}

async function seenOf(org: Used) {
  const get = async (path: string) => (await call("GET", path, { key: org.ownerKey })).body;
  const { spent_usd, limit_usd } = await get(`/v1/orgs/${org.id}/budgets/${org.budgetId}`);
  return {
    org: await get(`/v1/orgs/${org.id}`),
    run: await get(`/v1/runs/${org.runId}`),
    runs: (await get("/v1/runs?limit=200")).data,
    budget: { spent_usd, limit_usd },
    webhooks: (await get(`/v1/orgs/${org.id}/webhooks`)).data,
  };
}

describe("an org that is imported from its backup", () => {
  test("has everything that it had, takes the same keys, and its audit trail still verifies", async () => {
    const org = await usedOrg();
    const before = await seenOf(org);
    const archive = await backup(org.id);
    await forget(org.id);
    const imported = await send(archive);
    expect([imported.status, imported.body]).toMatchObject([201, { org_id: org.id, imported: true }]);
    expect(await seenOf(org)).toEqual(before);
    const verified = await call("GET", `/v1/orgs/${org.id}/audit-log/verify`, { key: org.ownerKey });
    expect([verified.body.valid, verified.body.breaks]).toEqual([true, []]);
    const log = await call("GET", `/v1/orgs/${org.id}/audit-log?limit=200`, { key: org.ownerKey });
    expect(log.body.data.map(({ action }: { action: string }) => action)).toContain("org.imported");
    const again = await call("POST", "/v1/runs", {
      key: org.ownerKey,
      body: {
        id: org.runId,
        started_at: before.run.started_at,
        model: before.run.model,
        customer_id: before.run.customer_id,
        usage: { input_tokens: 10, output_tokens: 1 },
        cost_usd: "1.000000001",
        metadata: before.run.metadata,
      },
    });
    expect(again.status).toBe(200);
  });

  test("may be longer than a frame, and a row too, with every digit and byte", async () => {
    const org = await usedOrg();
    const long = `'"\\\n\u0000\u{1f600}${"x".repeat(1_500_000)}`;
    const read = () =>
      runInDurableObject(env.ORG.getByName(org.id), (_object, { storage }) =>
        storage.sql
          .exec(
            "SELECT id, CAST(created_at AS TEXT) AS at, description FROM webhook_subscriptions WHERE id LIKE 'long%' ORDER BY id",
          )
          .toArray(),
      );
    await runInDurableObject(env.ORG.getByName(org.id), (_object, { storage }) => {
      for (const nth of [1, 2, 3])
        storage.sql.exec(
          `INSERT INTO webhook_subscriptions (id, url, events, created_at, updated_at, description)
           VALUES (?, 'u', '[]', CAST('9007199254740993' AS INTEGER), 1, ?)`,
          `long${nth}`,
          long,
        );
    });
    const before = await read();
    const archive = await backup(org.id);
    expect(archive.byteLength).toBeGreaterThan(4_500_000);
    await forget(org.id);
    expect((await send(archive)).status).toBe(201);
    expect(await read()).toEqual(before);
    expect(before.map(({ at }) => at)).toEqual(Array(3).fill("9007199254740993"));
  });

  test("does not change when the same archive comes again, even after it was used", async () => {
    const org = await usedOrg();
    const archive = await backup(org.id);
    await forget(org.id);
    expect((await send(archive)).status).toBe(201);
    const body = { name: "Renamed" };
    expect((await call("PATCH", `/v1/orgs/${org.id}`, { key: org.ownerKey, body })).status).toBe(200);
    const before = await seenOf(org);
    const again = await send(archive);
    expect([again.status, again.body.imported]).toEqual([200, false]);
    expect(await seenOf(org)).toEqual(before);
  });
});

describe("a key of an org that is imported", () => {
  test("and that was revoked before the backup is refused at once, also by an isolate that knew it", async () => {
    const org = await usedOrg();
    const revoked = await org.mint("admin");
    const { data } = (await call("GET", `/v1/orgs/${org.id}/keys`, { key: org.ownerKey })).body;
    const { id } = data.find(({ last4 }: { last4: string }) => revoked.endsWith(last4));
    const own = `/v1/orgs/${org.id}`;
    expect((await call("GET", own, { key: revoked })).status).toBe(200);
    expect((await call("DELETE", `${own}/keys/${id}`, { key: org.ownerKey })).status).toBe(204);
    const archive = await backup(org.id);
    await forget(org.id);
    expect((await send(archive)).status).toBe(201);
    expect((await call("GET", own, { key: revoked })).body.error.code).toBe("gone");
    expect((await call("GET", own, { key: org.ownerKey })).status).toBe(200);
  });

  test("and that is revoked then is out of use when that returns, also where it was known before", async () => {
    const org = await newOrg();
    await org.mint("admin");
    const { data } = (await call("GET", `/v1/orgs/${org.id}/keys`, { key: org.ownerKey })).body;
    const { id: keyId } = data.find(({ role }: { role: string }) => role === "admin");
    const archive = await backup(org.id);
    await forget(org.id);
    const object = env.ORG.getByName(org.id);
    await object.beginImport("attempt", "bak_it");
    await object.stageImport("attempt", 0, archive.toString("base64"));
    const before = Date.now();
    expect(await object.finishImport("attempt", OPERATOR)).toHaveProperty("archiveId");
    expect(await object.execute("revokeKey", { keyId }, OPERATOR)).toMatchObject({ status: 204 });
    // Where the org was before, isolates may have been told of the key until it was here.
    expect(Date.now() - before).toBeGreaterThanOrEqual(SNAPSHOT.lifeMs);
  });
});

describe("an import is refused, and leaves nothing, if", () => {
  const refusal = async (archive: Uint8Array, orgId: string) => {
    const answer = await send(archive);
    const found = await call("GET", `/v1/admin/orgs/${orgId}`, { key });
    expect(found.status).toBe(404);
    const { code, message } = answer.body.error?.details?.fields?.[0] ?? {};
    return [answer.status, code, message];
  };

  test("one bit of the archive is another one, wherever it is", async () => {
    const org = await usedOrg();
    const archive = await backup(org.id);
    await forget(org.id);
    for (const part of [0.01, 0.2, 0.5, 0.8, 0.999]) {
      const changed = Buffer.from(archive);
      const at = Math.floor(changed.byteLength * part) + 20;
      if (at >= changed.byteLength) continue;
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect((await refusal(changed, org.id))[0]).toBe(422);
    }
    expect((await send(archive)).status).toBe(201);
  });

  test("it ends too early, goes on, has another version or is something else", async () => {
    const org = await usedOrg();
    const archive = await backup(org.id);
    await forget(org.id);
    const cut = (to: number) => refusal(archive.subarray(0, to), org.id);
    expect(await cut(archive.byteLength - 1)).toEqual([422, "truncated", expect.any(String)]);
    expect(await cut(archive.byteLength >> 1)).toEqual([422, "truncated", expect.any(String)]);
    expect(await cut(5)).toEqual([422, "truncated", expect.any(String)]);
    expect(await cut(0)).toEqual([422, "no_archive", expect.any(String)]);
    const more = Buffer.concat([archive, Buffer.from("x")]);
    expect(await refusal(more, org.id)).toEqual([422, "more_after_end", expect.any(String)]);
    const later = Buffer.from(archive);
    later.write("2", "sluice-backup-".length);
    expect(await refusal(later, org.id)).toEqual([422, "other_version", expect.any(String)]);
    expect(await refusal(Buffer.from("PK\u0003\u0004 a zip file"), org.id)).toEqual([
      422,
      "no_archive",
      expect.any(String),
    ]);
  });

  test("another deployment signed it", async () => {
    const org = await usedOrg();
    const archive = await backup(org.id);
    await forget(org.id);
    expect(await refusal(resigned(archive, "another-pepper-0123456789abcdefghijklmn"), org.id)).toEqual([
      422,
      "other_signature",
      expect.any(String),
    ]);
  });

  test.each([
    ["has a table that no version has", /"table":"keys"/, '"table":"sqlite_master"', "sqlite_master"],
    [
      "has a column that no version has",
      /"table":"keys","columns":\["id",/,
      '"table":"keys","columns":["evil",',
      "keys",
    ],
    ["comes from before the first release", /"baseline",/, "", "before the first release"],
    ["comes from a later version", /"steps":\[/, '"steps":["later/1",', "newer version"],
    ["lost a row", /("table":"keys".*\n).*\n/, "$1", "keys has not the rows"],
    [
      "has a row too many",
      /("table":"keys".*\n)(.*\n)/,
      '$1["tkey_x","tn","towner","t[]","td","tl",null,null,null,null,"i1",null,null]\n$2',
      "keys has not the rows",
    ],
    ["has a row that is too short", /("table":"keys".*\n)(.*\n)/, '$1["tkey_x"]\n$2', "keys has a row"],
    ["has a changed audit entry", /\\"org\.created\\"/, String.raw`\"org.updated\"`, "audit trail"],
    ["has a changed sum", /"spent":"\d+"/, '"spent":"1"', "sums"],
    [
      "is of an org that its rows do not name",
      /("table":"profile".*\n\["i1","torg_.{25})./,
      "$1_",
      "another organization",
    ],
  ] as const)("someone with the pepper made it so that it %s", async (_name, from, to, said) => {
    const org = await usedOrg();
    const archive = await backup(org.id);
    await forget(org.id);
    const hostile = resigned(archive, env.SVC_KEY_PEPPER, (text) => {
      expect(text).toMatch(from);
      return text.replace(from, to);
    });
    const [status, code, message] = await refusal(hostile, org.id);
    expect([status, code, message]).toEqual([422, "invalid_archive", expect.stringContaining(said)]);
  });

  test("its head names another org than the object that it is staged in", async () => {
    const [org, other] = [await usedOrg(), await newOrg()];
    const archive = await backup(org.id);
    await forget(other.id);
    const hostile = resigned(archive, env.SVC_KEY_PEPPER, (text) =>
      text.replace(/("table":"profile".*\n\["i1","t)org_.{26}/, `$1${other.id}`),
    );
    const object = env.ORG.getByName(other.id);
    expect(await object.beginImport("attempt", "bak_other")).toEqual({ begun: true });
    await object.stageImport("attempt", 0, hostile.toString("base64"));
    expect(await object.finishImport("attempt", OPERATOR)).toMatchObject({
      code: "validation_failed",
      details: { fields: [{ message: "it is of another organization" }] },
    });
    expect(await object.whereabouts()).toBeNull();
  });

  test("the org's rule excludes this region", async () => {
    const org = await usedOrg();
    await call("PUT", `/v1/orgs/${org.id}/residency`, { key: org.ownerKey, body: { regions: ["local"] } });
    await rowsOf(org.id, `UPDATE residency SET regions = '["eu"]'`);
    const archive = await backup(org.id);
    await forget(org.id);
    const answer = await send(archive);
    expect([answer.status, answer.body.error.code]).toEqual([403, "residency_violation"]);
    expect((await call("GET", `/v1/admin/orgs/${org.id}`, { key })).status).toBe(404);
  });

  test("the org exists", async () => {
    const org = await usedOrg();
    const archive = await backup(org.id);
    const before = await seenOf(org);
    const answer = await send(archive);
    expect([answer.status, answer.body.error.code]).toEqual([409, "conflict"]);
    expect(await seenOf(org)).toEqual(before);
  });
});

/** The same frames, changed and signed again. */
function resigned(
  archive: Uint8Array,
  pepper: string,
  change: (text: string) => string = (text) => text,
): Buffer {
  const frames = new FrameReader(env.SVC_KEY_PEPPER).push(archive);
  if (typeof frames === "string") throw new Error(frames);
  const text = change(Buffer.concat(frames.map(({ content }) => content)).toString());
  return new FrameWriter(pepper).write(Buffer.from(text), true);
}

test("backup, import and restore are for operators, and each is recorded", async () => {
  const org = await usedOrg();
  const paths = [
    ["GET", `/v1/admin/orgs/${org.id}/backup`],
    ["POST", `/v1/admin/orgs/${org.id}/restore`],
    ["POST", "/v1/admin/orgs/import"],
  ] as const;
  for (const [method, path] of paths) {
    expect((await call(method, path, { key: org.ownerKey })).status).toBe(403);
    expect((await call(method, path)).status).toBe(401);
  }
  await backup(org.id);
  const log = await call("GET", `/v1/orgs/${org.id}/audit-log?limit=200`, { key: org.ownerKey });
  expect(log.body.data.map(({ action }: { action: string }) => action)).toContain("org.backed_up");
  const left = await runInDurableObject(
    env.ORG.getByName(org.id),
    (_object, { storage }) => storage.sql.exec("SELECT count(*) AS n FROM backup_frames").one()["n"],
  );
  expect(left).toBe(0);
});

describe("a restore", () => {
  const restore = (orgId: string, at: string) =>
    call("POST", `/v1/admin/orgs/${orgId}/restore`, { key, body: { at } });
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

  test("says that there is no history where the platform keeps none, and changes nothing", async () => {
    const org = await usedOrg();
    const answer = await restore(org.id, ago(60_000));
    expect([answer.status, answer.body.error.code]).toEqual([503, "service_unavailable"]);
    expect(answer.body.error.message).toContain("no history");
    expect((await call("GET", `/v1/admin/orgs/${org.id}`, { key })).body.status).toBe("active");
  });

  test("is of a time in the last 30 days", async () => {
    const org = await usedOrg();
    for (const at of [ago(-60_000), ago(31 * 86_400_000)]) {
      expect((await restore(org.id, at)).body.error.details.fields[0].field).toBe("at");
    }
  });

  test("asks the platform for that moment, suspends the org, and is in the platform's audit trail", async () => {
    const org = await usedOrg();
    const at = ago(3_600_000);
    const asked: unknown[] = [];
    await runInDurableObject(env.ORG.getByName(org.id), (object) => {
      (object as unknown as { recovery: object }).recovery = {
        bookmarkAt: async (atMs: number) => `at ${atMs}`,
        restoreAtNextStart: async (bookmark: string) => {
          asked.push(bookmark);
          return "the way back";
        },
        restart: () => void asked.push("restart"),
      };
    });
    const answer = await restore(org.id, at);
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { org: { status: "suspended" }, restored_to: at, undo_bookmark: "the way back" },
    ]);
    expect(asked).toEqual([`at ${Date.parse(at)}`, "restart"]);
    expect((await call("GET", `/v1/orgs/${org.id}`, { key: org.ownerKey })).body.error.code).toBe(
      "org_suspended",
    );
    const platform = "org_00000000000000000000000000";
    const log = await call("GET", `/v1/orgs/${platform}/audit-log?limit=200`, { key });
    const entry = log.body.data.find(
      (one: { target: string; action: string }) =>
        one.target === org.id && one.action === "platform.org_restored",
    );
    expect(entry.detail).toMatchObject({ at });
  });
});
