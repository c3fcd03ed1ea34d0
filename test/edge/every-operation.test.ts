import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { OPERATIONS } from "../../src/operations.ts";
import { ERRORS, type ErrorCode } from "../../src/contract/errors.ts";
import { type OperationContract, routeOf } from "../../src/contract/operation.ts";
import { keyDigest, mintKey } from "../../src/domain/key/api-key.ts";
import { newId } from "../../src/domain/bytes/ulid.ts";
import { freshAddress, frozenAccess, pathOf } from "../support/each-operation.ts";
import { rowsOf } from "../support/rows.ts";
import { type Answer, call, env, newOrg, operatorKey, type TestOrg } from "../support/worker.ts";

/** What must hold for every operation, whatever it does. A new operation is included automatically. */

const contracts = OPERATIONS.map((operation) => operation.contract);
const guarded = contracts.filter((op) => frozenAccess(op).role !== "anyone");
const withBody = guarded.filter((op) => op.body !== undefined);
const MISSING_ORG = "org_7ZZZZZZZZZZZZZZZZZZZZZZZZZ";

let acme: TestOrg;
let other: TestOrg;
let suspended: TestOrg;
let fenced: TestOrg;
const keys: Record<string, string> = {};

beforeAll(async () => {
  [acme, other, suspended, fenced] = await Promise.all([newOrg(), newOrg(), newOrg(), newOrg()]);
  keys["owner"] = acme.ownerKey;
  keys["expired"] = await acme.mint("owner", { expires_at: "2998-01-01T00:00:00Z" });
  keys["early"] = await acme.mint("owner", { not_before: "2999-01-01T00:00:00Z" });
  keys["revoked"] = await acme.mint("owner", { expires_at: "2998-01-01T00:00:00Z" });
  await rowsOf(acme.id, "UPDATE keys SET expires_at = 1 WHERE expires_at IS NOT NULL");
  const listed = await call("GET", `/v1/orgs/${acme.id}/keys`, { key: acme.ownerKey });
  const revoked = listed.body.data.find(
    (key: { last4: string }) => keys["revoked"]?.endsWith(key.last4) === true,
  );
  const gone = call("DELETE", `/v1/orgs/${acme.id}/keys/${revoked.id}`, { key: acme.ownerKey });
  const stopped = call("POST", `/v1/admin/orgs/${suspended.id}/suspend`, { key: operatorKey() });
  const narrowed = call("PATCH", `/v1/orgs/${fenced.id}`, {
    key: fenced.ownerKey,
    body: { ip_allow_list: ["198.51.100.0/24"] },
  });
  expect([(await gone).status, (await stopped).status, (await narrowed).status]).toEqual([204, 200, 200]);
});

function namesOrg(op: OperationContract): boolean {
  return pathOf(op, "x") !== pathOf(op, "y");
}

function ask(op: OperationContract, key: string | null, org = acme, more: object = {}): Promise<Answer> {
  const body = op.body === undefined ? {} : { body: {} };
  return call(op.method, pathOf(op, org.id), { key, from: freshAddress(), ...body, ...more });
}

function expectRefusal(answer: Answer, code: ErrorCode, details: unknown = {}): void {
  expect({ status: answer.status, ...answer.body.error, message: "" }).toEqual({
    status: ERRORS[code].statuses[0],
    code,
    message: "",
    details,
  });
  expect(answer.headers.get("x-svc-trace-id")).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer.headers.get("x-svc-region")).toBe("local");
  expect(answer.headers.get("cache-control")).toBe("no-store");
}

describe.each(guarded.map((op) => [routeOf(op), op] as const))("%s", (_, op) => {
  test("refuses callers that it cannot authenticate", async () => {
    const bearer = (text: string) => ({ headers: { authorization: text } });
    expectRefusal(await ask(op, null), "unauthorized");
    expectRefusal(await ask(op, null, acme, bearer(`bearer ${acme.ownerKey}`)), "unauthorized");
    expectRefusal(await ask(op, null, acme, bearer(`Basic ${btoa("a:b")}`)), "unauthorized");
    expectRefusal(await ask(op, "svc_live_nonsense"), "unauthorized");
    const forged = `${acme.ownerKey.slice(0, -1)}${acme.ownerKey.endsWith("a") ? "b" : "a"}`;
    expectRefusal(await ask(op, forged), "unauthorized");
    const unknown = mintKey(env.SVC_KEY_PEPPER, {
      environment: "live",
      orgId: acme.id,
      keyId: newId("key", Date.now()),
    });
    expect(keyDigest(env.SVC_KEY_PEPPER, unknown)).toHaveLength(64);
    expectRefusal(await ask(op, unknown), "unauthorized");
  });

  test("refuses a key that is revoked, expired or not yet valid", async () => {
    expectRefusal(await ask(op, keys["revoked"] ?? ""), "gone");
    expectRefusal(await ask(op, keys["expired"] ?? ""), "key_expired");
    expectRefusal(await ask(op, keys["early"] ?? ""), "key_expired");
  });

  test("refuses a suspended org, and an address outside the allow-list", async () => {
    expectRefusal(await ask(op, suspended.ownerKey, suspended), "org_suspended");
    expectRefusal(await ask(op, fenced.ownerKey, fenced), "ip_not_allowed");
    // A write that succeeds may have to wait until every isolate knows of it.
    if (op.method !== "GET") return;
    const inside = await ask(op, fenced.ownerKey, fenced, { from: "::ffff:198.51.100.9" });
    expect(inside.body?.error?.code).not.toBe("ip_not_allowed");
  });

  test.runIf(namesOrg(op))("treats another tenant's org like one that does not exist", async () => {
    const theirs = await ask(op, acme.ownerKey, other);
    const nobodys = await ask(op, acme.ownerKey, { ...other, id: MISSING_ORG });
    expectRefusal(theirs, "not_found");
    expect(theirs.text).toBe(nobodys.text);
    const headersOf = (answer: Answer) => [...answer.headers].filter(([name]) => name !== "x-svc-trace-id");
    expect(headersOf(theirs)).toEqual(headersOf(nobodys));
    const odd = await call(op.method, pathOf(op, encodeURIComponent("../x")), { key: acme.ownerKey });
    expect(odd.status).toBe(404);
  });
});

describe.each(withBody.map((op) => [routeOf(op), op] as const))("the body of %s", (_, op) => {
  const key = () => (op.role === "operator" ? operatorKey() : acme.ownerKey);
  const send = (body: unknown, headers: Record<string, string> = {}) =>
    ask(op, key(), acme, { body, headers });
  const limit = { decision: 16_384, bulk: 8_388_608, plain: 1_048_576 }[op.bodyLimit ?? "plain"];
  const fieldsOf = (answer: Answer) => answer.body.error.details.fields as { field: string; code: string }[];
  const schema = z.toJSONSchema(op.body ?? z.object({}), { io: "input", unrepresentable: "any" }) as {
    properties?: Record<string, { type?: string }>;
    oneOf?: { properties: Record<string, { const?: unknown }> }[];
  };
  /** The discriminator that selects one of several schemas. Only then are the others' fields unknown. */
  const kind = Object.entries(schema.oneOf?.[0]?.properties ?? {}).flatMap(([name, field]) =>
    field.const === undefined ? [] : [[name, field.const]],
  );

  test("is refused when too large, with and without a declared length", async () => {
    const text = JSON.stringify({ a: "x".repeat(limit) });
    expectRefusal(await send(text), "payload_too_large");
    const stream = new Blob([text]).stream();
    expectRefusal(await ask(op, key(), acme, { stream }), "payload_too_large");
  });

  test("is refused if it is not a JSON object, naming the problem", async () => {
    const refusals = [
      [await send("{}", { "content-type": "text/plain" }), "content-type", "invalid_content_type"],
      [await send("{nonsense"), "body", "invalid_json"],
      [await send("[]"), "body", "invalid_body"],
      [await send('"text"'), "body", "invalid_body"],
      [await send(`{"a":${"[".repeat(32)}${"]".repeat(32)}}`), "body", "invalid_body"],
    ] as const;
    for (const [answer, field, code] of refusals) {
      expect(answer.status).toBe(422);
      expect(answer.body.error.code).toBe("validation_failed");
      expect(fieldsOf(answer).map((entry) => [entry.field, entry.code])).toEqual([[field, code]]);
    }
  });

  test("is refused for unknown fields and for wrong types", async () => {
    const unknown = await send({ ...Object.fromEntries(kind), zz_unknown: 1 });
    expect(unknown.status).toBe(422);
    const listed = fieldsOf(unknown).map(({ field, code }) => `${field} ${code}`);
    expect(listed.includes("zz_unknown invalid_body")).toBe(op.openBody !== true);
    const names = Object.entries(schema.properties ?? {}).filter(([, field]) => field.type !== undefined);
    if (names.length === 0) return;
    const wrong = await send(
      Object.fromEntries(names.map(([name, field]) => [name, field.type === "object" ? 7 : {}])),
    );
    expect(wrong.status).toBe(422);
    for (const [name] of names) {
      expect(fieldsOf(wrong)).toContainEqual(expect.objectContaining({ field: name, code: "invalid_type" }));
    }
  });
});

const withoutBody = guarded.filter(
  (op) =>
    op.body === undefined && op.streamedBody === undefined && op.method !== "GET" && op.ignoresBody !== true,
);

describe.each(withoutBody.map((op) => [routeOf(op), op] as const))("%s, which takes no body,", (_, op) => {
  const key = () => (op.role === "operator" ? operatorKey() : acme.ownerKey);
  const send = (body: string, headers: Record<string, string> = {}) =>
    ask(op, key(), acme, { body, headers });

  test("refuses a body that is not empty, or too large", async () => {
    for (const body of ['{"a":1}', "[]", "null", "x", '{"a":"\\ud800"}', "{}{}"]) {
      const answer = await send(body, { "content-type": "text/plain" });
      expectRefusal(answer, "validation_failed", {
        fields: [{ field: "body", code: "invalid_body", message: expect.stringContaining("takes no body") }],
      });
    }
    expectRefusal(await send(" ".repeat(1_048_577)), "payload_too_large");
    const stream = new Blob([" ".repeat(1_048_577)]).stream();
    expectRefusal(await ask(op, key(), acme, { stream }), "payload_too_large");
  });

  test("accepts no body, white space and {} as empty; they are different bodies under one idempotency key", async () => {
    const plain = await ask(op, key());
    for (const body of [" \r\n", "{}", " { } "]) {
      const answer = await send(body);
      expect(answer.body?.error?.code).not.toBe("validation_failed");
    }
    if (op.idempotent !== true || plain.status !== 404) return;
    const headers = { "idempotency-key": `same ${op.path}` };
    const first = await ask(op, key(), acme, { headers });
    const again = await ask(op, key(), acme, { headers });
    expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([
      404,
      first.text,
      "true",
    ]);
    expectRefusal(await send("{}", headers), "idempotency_key_conflict");
  });
});

test("an unknown route and an unserved method return the envelope", async () => {
  expectRefusal(await call("GET", "/v1/nothing/here"), "not_found");
  expectRefusal(await call("PUT", `/v1/orgs/${acme.id}/keys`, { key: acme.ownerKey, body: {} }), "not_found");
});

test("HEAD works wherever GET does", async () => {
  for (const op of guarded.filter((one) => one.method === "GET")) {
    expect((await ask(op, null)).status).toBe(401);
    const head = await call("HEAD", pathOf(op, acme.id));
    expect([head.status, head.text]).toEqual([401, ""]);
  }
});

test("OPTIONS lists every method of a path, for all templates that it matches", async () => {
  for (const op of contracts.filter((one) => one.method === "GET")) {
    const allowed = await call("OPTIONS", pathOf(op, acme.id));
    expect([allowed.status, allowed.text]).toEqual([204, ""]);
    const listed = allowed.headers.get("allow")?.split(", ") ?? [];
    const served = contracts.filter(({ path }) => path === op.path).map(({ method }) => method);
    expect(listed).toEqual(expect.arrayContaining(["HEAD", "OPTIONS", ...served]));
  }
  const bulk = await call("OPTIONS", "/v1/runs/bulk");
  expect(bulk.headers.get("allow")).toBe("GET, HEAD, OPTIONS, POST");
  const evaluate = await call("OPTIONS", `/v1/orgs/${acme.id}/policy-rules/evaluate`);
  expect(evaluate.headers.get("allow")).toBe("DELETE, GET, HEAD, OPTIONS, PATCH, POST");
  expectRefusal(await call("OPTIONS", `/v1/orgs/${acme.id}/quota/top-ups`), "not_found");
});
