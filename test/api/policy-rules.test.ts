import { beforeAll, describe, expect, test } from "vitest";
import { call, newOrg, type TestOrg } from "../support/worker.ts";

let org: TestOrg;
let rules: string;

const RULE = { target: "model", effect: "deny", when: 'model == "acme/m1"', reason: "not cleared" };

beforeAll(async () => {
  org = await newOrg();
  rules = `/v1/orgs/${org.id}/policy-rules`;
});

const create = (body: object) => call("POST", rules, { key: org.ownerKey, body: { ...RULE, ...body } });
const evaluate = (body: object) => call("POST", `${rules}/evaluate`, { key: org.ownerKey, body });

describe("a policy rule", () => {
  test("is created, read, listed, changed under its ETag and deleted", async () => {
    const made = await create({ priority: 7 });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ ...RULE, priority: 7, mode: "enforce" });
    const path = `${rules}/${made.body.id}`;
    const read = await call("GET", path, { key: org.ownerKey });
    expect(read.body).toEqual(made.body);

    const listed = await call("GET", `${rules}?effect=deny&sort=-priority`, { key: org.ownerKey });
    expect(listed.body.data.map((rule: { id: string }) => rule.id)).toContain(made.body.id);

    const etag = read.headers.get("etag") ?? "";
    const change = (ifMatch: string) =>
      call("PATCH", path, { key: org.ownerKey, body: { mode: "shadow" }, headers: { "if-match": ifMatch } });
    expect((await change(etag)).body).toMatchObject({ mode: "shadow", priority: 7 });
    expect((await change(etag)).status).toBe(409);

    expect((await call("DELETE", path, { key: org.ownerKey })).status).toBe(204);
    expect((await call("GET", path, { key: org.ownerKey })).status).toBe(404);
    expect((await call("DELETE", path, { key: org.ownerKey })).status).toBe(404);
  });

  test("created twice under one idempotency key is one rule", async () => {
    const options = {
      key: org.ownerKey,
      body: { ...RULE, reason: "once" },
      headers: { "idempotency-key": "k1" },
    };
    const [first, second] = await Promise.all([call("POST", rules, options), call("POST", rules, options)]);
    expect(second.text).toBe(first.text);
    await call("DELETE", `${rules}/${first.body.id}`, { key: org.ownerKey });
  });

  test.each([
    ["when", { when: "model == " }, "invalid_expression", "line 1, column 7"],
    ["when", { when: 'modle == "x"' }, "invalid_expression", "line 1, column 1"],
    ["when", { when: "1 + 1" }, "invalid_expression", "must be a bool"],
    ["when", { when: 'model.matches("(a+)+(")' }, "invalid_expression", "line 1, column 15"],
    ["when", { when: "x".repeat(5_000) }, "invalid_expression", "4096"],
    [
      "when",
      { when: "model == 5" },
      "invalid_expression",
      "line 1, column 6: values of type string and int are never equal",
    ],
    ["when", { when: "model in [1, 2]" }, "invalid_expression", "never equal"],
    [
      "when",
      { when: "estimate.cost > 5.0" },
      "invalid_expression",
      "unknown field 'cost'; known fields are cost_usd",
    ],
    ["when", { when: 'run.usage.input_tokens > "5"' }, "invalid_expression", "does not take (int, string)"],
    ["when", { when: "run.cost_usd + 1 > 2.0" }, "invalid_expression", "does not take (double, int)"],
    ["when", { when: "model.name == 'x'" }, "invalid_expression", "a string has no field 'name'"],
    ["when", { when: '["a"].exists(x, x > 1)' }, "invalid_expression", "does not take (string, int)"],
    [
      "when",
      { when: "run.incurred ? model : action" },
      "invalid_expression",
      "must be a bool, but is string",
    ],
    ["when", { when: "run.metadata[1] == 2" }, "invalid_expression", "expected string, found int"],
    ["when", { when: "run.model" }, "invalid_expression", "must be a bool, but is string"],
    ["when", { when: "" }, "empty", ""],
    ["effect", { effect: "maybe" }, "invalid_value", ""],
    ["target", { target: undefined }, "required", ""],
    ["priority", { priority: 1.5 }, "invalid_type", ""],
    ["surprise", { surprise: 1 }, "invalid_body", ""],
  ])("with a bad %s is refused: %j", async (field, body, code, message) => {
    const { status, body: answer } = await create(body);
    expect(status).toBe(422);
    const found = answer.error.details.fields.find((one: { field: string }) => one.field === field);
    expect(found).toMatchObject({ code });
    expect(found.message).toContain(message);
  });

  test("needs the admin role, and the scope", async () => {
    const developer = await org.mint("developer");
    expect((await call("GET", rules, { key: developer })).status).toBe(200);
    expect((await call("POST", rules, { key: developer, body: RULE })).body.error.code).toBe("forbidden");
    const reader = await org.mint("admin", { scopes: ["policies:read"] });
    const refused = await call("POST", rules, { key: reader, body: RULE });
    expect(refused.body.error).toMatchObject({
      code: "missing_scope",
      details: { required: "policies:write" },
    });
  });

  test("of another org is not found", async () => {
    const made = await create({});
    const other = await newOrg();
    const path = `/v1/orgs/${other.id}/policy-rules/${made.body.id}`;
    expect((await call("GET", path, { key: other.ownerKey })).status).toBe(404);
    expect((await call("PATCH", path, { key: other.ownerKey, body: { mode: "shadow" } })).status).toBe(404);
    await call("DELETE", `${rules}/${made.body.id}`, { key: org.ownerKey });
  });
});

describe("the dry run", () => {
  test("says which rule decides and what each one says", async () => {
    const deny = (await create({ priority: 1 })).body.id;
    const gate = (await create({ effect: "require_approval", when: "estimate.cost_usd > 5", reason: "dear" }))
      .body.id;
    const broken = (await create({ when: 'run.metadata.team == "x"', mode: "shadow" })).body.id;

    const denied = await evaluate({ model: "acme/m1", estimate: { cost_usd: "9" } });
    expect(denied.status).toBe(200);
    expect(denied.body).toMatchObject({
      decision: "deny",
      rule_id: deny,
      reason: "not cleared",
      attempted: "acme/m1",
    });
    const said = Object.fromEntries(
      denied.body.rules.map((one: { rule_id: string; result: string }) => [one.rule_id, one.result]),
    );
    expect(said).toEqual({ [deny]: "matched", [gate]: "matched", [broken]: "error" });

    const held = await evaluate({ run: { model: "acme/m2", usage: { input_tokens: 1 }, cost_usd: "5.01" } });
    expect(held.body).toMatchObject({ decision: "require_approval", rule_id: gate });
    const free = await evaluate({ model: "acme/m2", estimate: { cost_usd: "5" } });
    expect(free.body).toMatchObject({ decision: "allow", rule_id: null, reason: null });
  });

  test("names a failing rule", async () => {
    const failing = (await create({ when: "1 / (size(action) - size(action)) == 1", priority: 99 })).body.id;
    const { body } = await evaluate({ model: "acme/m9", action: "x" });
    expect(body).toMatchObject({
      decision: "error",
      rule_id: failing,
      message: expect.stringContaining("zero"),
    });
    await call("DELETE", `${rules}/${failing}`, { key: org.ownerKey });
  });

  test("requires a model", async () => {
    const { status, body } = await evaluate({ action: "deploy" });
    expect(status).toBe(422);
    expect(body.error.details.fields).toEqual([
      expect.objectContaining({ field: "model", code: "required" }),
    ]);
  });
});
