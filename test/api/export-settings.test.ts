import { createExecutionContext } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { isRefusal } from "../../src/contract/refusal.ts";
import type { Env } from "../../src/edge/env.ts";
import worker from "../../src/index.ts";
import { setExport } from "../../src/org/exports/commands.ts";
import type { CheckpointedTx } from "../../src/org/kernel/door.ts";
import { BUCKET, HOUR, put, S3 } from "../support/exports.ts";
import { newSpender } from "../support/ledger.ts";
import { rowsOf } from "../support/rows.ts";
import { call, env, newOrg } from "../support/worker.ts";

describe("the secret of a destination", () => {
  test("is encrypted, and is in no answer, audit entry or event", async () => {
    const org = await newSpender();
    const { secret_access_key: secret, ...shown } = S3;
    const set = await put(org, "s3", { destination: S3 });
    expect(set.body).toMatchObject({
      name: "s3",
      format: "ndjson",
      every: "hour",
      focus_version: null,
      destination: shown,
    });
    await org.advance(HOUR);
    const read = await org.send("GET", "exports/s3");
    const listed = await org.send("GET", "exports");
    const { lag_seconds: _, ...steady } = read.body;
    expect(listed.body.data).toMatchObject([steady]);
    const audit = await org.send("GET", "audit-log");
    expect(audit.text).toContain("export.set");
    const rows = await rowsOf(org.id, "SELECT * FROM exports");
    for (const text of [
      set.text,
      read.text,
      listed.text,
      audit.text,
      JSON.stringify(rows),
      JSON.stringify(await org.events()),
    ]) {
      expect(text).not.toContain(secret);
    }
  });
});

describe("an export is refused", () => {
  test.each([
    ["format", { format: "xml" }],
    ["every", { every: "minute" }],
    ["focus_version", { focus_version: "1.2" }],
    ["focus_version", { format: "focus", focus_version: "2" }],
    ["destination.prefix", { destination: { ...BUCKET, prefix: "/a" } }],
    ["destination.prefix", { destination: { ...BUCKET, prefix: "a/../b" } }],
    ["destination.prefix", { destination: { ...BUCKET, prefix: "a//b" } }],
    ["destination.endpoint", { destination: { ...S3, endpoint: "ftp://storage.example" } }],
    ["destination.endpoint", { destination: { ...S3, endpoint: "https://user:pass@storage.example" } }],
    ["destination.endpoint", { destination: { ...S3, endpoint: "https://storage.example/path" } }],
    ["destination.endpoint", { destination: { ...S3, endpoint: "https://storage.example?x" } }],
    ["destination.bucket", { destination: { ...S3, bucket: "../other" } }],
    ["destination.region", { destination: { ...S3, region: "eu/../x" } }],
    ["destination.access_key_id", { destination: { ...S3, access_key_id: "a\nb" } }],
    ["destination.secret_access_key", { destination: { ...S3, secret_access_key: undefined } }],
    ["destination.kind", { destination: { kind: "ftp" } }],
  ])("at %s", async (field, more) => {
    const org = await newSpender();
    const { status, body } = await put(org, "e", more);
    expect([status, body.error?.details.fields[0].field]).toEqual([422, field]);
  });

  test.each(["UPPER", "a.b", "-a", "a".repeat(65), "a%20b", "a%2Fb"])("under the name %s", async (name) => {
    const org = await newSpender();
    const { status, body } = await put(org, name);
    expect([status, body.error?.details.fields?.[0].field]).toEqual([422, "name"]);
  });

  test("where the region has no bucket", () => {
    const tx = { hasBucket: false } as unknown as CheckpointedTx;
    const input = {
      name: "e",
      format: "csv",
      every: "day",
      destination: { kind: "bucket", prefix: "" },
    } as const;
    const refused = setExport.run(tx, { ...input, focus_version: undefined });
    expect(isRefusal(refused) && refused.details).toMatchObject({ fields: [{ field: "destination.kind" }] });
  });

  test("to all but admins with every scope, and as the eleventh", async () => {
    const org = await newOrg();
    const body = { format: "csv", every: "day", destination: BUCKET };
    const send = (key: string, name = "e", method = "PUT") =>
      call(method, `/v1/orgs/${org.id}/exports/${name}`, { key, ...(method === "PUT" ? { body } : {}) });
    expect((await send(await org.mint("developer"))).status).toBe(403);
    expect((await send(await org.mint("developer"), "e", "GET")).status).toBe(403);
    const narrow = await org.mint("admin", { scopes: ["org:read", "org:write"] });
    expect((await send(narrow)).body.error.code).toBe("missing_scope");
    const admin = await org.mint("admin");
    for (let n = 0; n < 10; n += 1) expect((await send(admin, `e${n}`)).status).toBe(200);
    expect((await send(admin, "one-more")).body.error.code).toBe("conflict");
    expect((await send(admin, "e0")).status).toBe(200);
    const other = await newOrg();
    expect((await send(other.ownerKey, "e0", "GET")).status).toBe(404);
  });
});

test.each([
  "http://storage.example.com",
  "https://10.0.0.1",
  "https://[::1]",
  "https://169.254.169.254",
  "https://localhost",
  "https://minio.internal",
  "https://storage.example.com:22",
])("where private addresses are not allowed, %s is no endpoint", async (endpoint) => {
  const org = await newSpender();
  const body = { format: "ndjson", every: "hour", destination: { ...S3, endpoint } };
  const request = new Request(`http://sluice.test/v1/orgs/${org.id}/exports/x`, {
    method: "PUT",
    headers: {
      authorization: `Bearer ${org.key}`,
      "content-type": "application/json",
      "cf-connecting-ip": "203.0.113.7",
    },
    body: JSON.stringify(body),
  });
  const strict = { ...env, SVC_WEBHOOK_ALLOW_PRIVATE: "false" } as unknown as Env;
  const answer = await worker.fetch(
    request as Parameters<typeof worker.fetch>[0],
    strict,
    createExecutionContext(),
  );
  const refused = (await answer.json()) as { error: { details: { fields: { field: string }[] } } };
  expect([answer.status, refused.error.details.fields[0]?.field]).toEqual([422, "destination.endpoint"]);
});
