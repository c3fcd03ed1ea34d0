import { describe, expect, test } from "vitest";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import { call } from "../support/worker.ts";

const RULE = {
  match: { model: "gpt-4o", tags: { team: ["search", "ads"] } },
  then: [{ model: "gpt-4o-mini" }, { model: "llama-3.3-70b", provider: "groq" }],
  on: ["limit", "provider_error"],
  budget_share: "0.90",
};
const PLAIN = { match: { model: "m" }, then: [{ model: "n" }], on: ["limit"] };

function find(org: Spender, question: object) {
  return call("POST", "/v1/edge/fallbacks", { key: org.key, body: question });
}

async function factsOf(org: Spender) {
  const exchange = { version: 1, holder: "gate-for-tests" };
  const { status, body } = await call("POST", "/v1/edge/leases", { key: org.key, body: exchange });
  expect(status).toBe(200);
  return body.fallbacks as { version: string; by: string[]; shares: boolean } | undefined;
}

describe("a fallback", () => {
  test("is set, read, listed, changed and deleted, and each change is audited", async () => {
    const org = await newSpender();
    const set = await org.send("PUT", "fallbacks/cheaper", RULE);
    expect([set.status, set.body]).toMatchObject([
      200,
      {
        name: "cheaper",
        match: RULE.match,
        then: [
          { model: "gpt-4o-mini", provider: null },
          { model: "llama-3.3-70b", provider: "groq" },
        ],
        on: RULE.on,
        budget_share: "0.9",
      },
    ]);
    expect((await org.send("GET", "fallbacks/cheaper")).body).toEqual(set.body);
    await org.send("PUT", "fallbacks/another", PLAIN);
    const changed = await org.send("PUT", "fallbacks/cheaper", { ...RULE, on: ["no_price"] });
    expect(changed.body).toMatchObject({ on: ["no_price"], created_at: set.body.created_at });
    const names = (await org.send("GET", "fallbacks")).body.data.map(({ name }: { name: string }) => name);
    expect(names).toEqual(["another", "cheaper"]);
    expect((await org.send("DELETE", "fallbacks/cheaper")).status).toBe(204);
    expect((await org.send("GET", "fallbacks/cheaper")).status).toBe(404);
    expect((await org.send("DELETE", "fallbacks/cheaper")).status).toBe(404);
    const audit = (await org.send("GET", "audit-log")).text;
    for (const action of ["fallback.set", "fallback.deleted"]) expect(audit).toContain(action);
  });

  test("set twice with one idempotency key is set once", async () => {
    const org = await newSpender();
    const path = `/v1/orgs/${org.id}/fallbacks/a`;
    const headers = { "idempotency-key": "once" };
    const first = await call("PUT", path, { key: org.key, body: PLAIN, headers });
    const again = await call("PUT", path, { key: org.key, body: PLAIN, headers });
    const other = await call("PUT", path, { key: org.key, body: { ...PLAIN, on: ["no_price"] }, headers });
    expect([first.status, again.body, other.body.error.code]).toEqual([
      200,
      first.body,
      "idempotency_key_conflict",
    ]);
  });

  test("names every bad field at once", async () => {
    const org = await newSpender();
    const { status, body } = await org.send("PUT", "fallbacks/a", {
      match: { workflow_id: "w", other: 1 },
      then: [{ model: "a*" }, { model: "b", provider: "B A D" }],
      on: ["sometimes"],
      budget_share: "1.1",
    });
    const fields = body.error.details.fields.map(({ field }: { field: string }) => field);
    expect([status, new Set(fields)]).toEqual([
      422,
      new Set(["match.model", "match.other", "then[0].model", "then[1].provider", "on[0]", "budget_share"]),
    ]);
  });

  test.each([
    ["name", "UPPER", PLAIN],
    ["then", "a", { ...PLAIN, then: [] }],
    ["then", "a", { ...PLAIN, then: Array.from({ length: 6 }, (_, at) => ({ model: `m${at}` })) }],
    ["then[1]", "a", { ...PLAIN, then: [{ model: "n" }, { model: "n" }] }],
    ["on", "a", { ...PLAIN, on: [] }],
    ["on", "a", { ...PLAIN, on: ["limit", "limit"] }],
    ["budget_share", "a", { ...PLAIN, budget_share: "0" }],
    ["then[0].model", "a", { ...PLAIN, then: [{ model: "m" }] }],
    ["then[1].model", "a", { ...PLAIN, then: [{ model: "n" }, { model: "m", provider: null }] }],
    ["then[0].model", "a", { ...PLAIN, match: { model: ["m", "m"], user_id: "u" }, then: [{ model: "m" }] }],
    ["then[0].model", "a", { ...PLAIN, match: { model: "m", provider: "groq" }, then: [{ model: "m" }] }],
    [
      "then[0].model",
      "a",
      { ...PLAIN, match: { model: "m", provider: "groq" }, then: [{ model: "m", provider: "groq" }] },
    ],
    [
      "then[0].model",
      "a",
      { ...PLAIN, match: { model: "m", provider: "google" }, then: [{ model: "m", provider: "gemini" }] },
    ],
  ])("is refused at %s", async (field, name, body) => {
    const org = await newSpender();
    const answer = await org.send("PUT", `fallbacks/${name}`, body);
    expect([answer.status, answer.body.error?.details.fields[0].field]).toEqual([422, field]);
  });

  test("may have no condition but a share", async () => {
    const org = await newSpender();
    const answer = await org.send("PUT", "fallbacks/a", { ...PLAIN, on: [], budget_share: "1" });
    expect([answer.status, answer.body.budget_share]).toEqual([200, "1"]);
  });

  test.each([
    [{ model: "gpt-4o" }, { model: "claude-sonnet-4", provider: "anthropic" }, "then[0].provider"],
    [{ model: "claude-*" }, { model: "gpt-4o", provider: "openai" }, "then[0].provider"],
    [{ model: "claude-opus-4-1" }, { model: "llama-3", provider: "groq" }, "then[0].provider"],
    [{ model: ["gpt-4o", "claude-3-5-haiku"] }, { model: "x", provider: "groq" }, "then[0].provider"],
    [{ model: "x", provider: "anthropic" }, { model: "y", provider: "openai" }, "then[0].provider"],
    [{ model: "gpt-4o" }, { model: "claude-sonnet-4" }, "then[0].provider"],
    [{ model: "gpt-4o" }, { model: "gemini-2.5-flash" }, "then[0].provider"],
  ])("of %j does not go on to %j", async (match, next, field) => {
    const org = await newSpender();
    const answer = await org.send("PUT", "fallbacks/a", { ...PLAIN, match, then: [next] });
    expect([answer.status, answer.body.error?.details.fields[0].field]).toEqual([422, field]);
  });

  test.each([
    [{ model: "gpt-4o" }, { model: "gpt-4o-mini" }],
    [{ model: "gpt-4o" }, { model: "gemini-2.5-flash", provider: "gemini" }],
    [{ model: "gpt-4o" }, { model: "gpt-4o", provider: "azure" }],
    [
      { model: "gpt-4o", provider: ["openai", "azure"] },
      { model: "gpt-4o", provider: "openai" },
    ],
    [{ model: ["gpt-4o", "gpt-4o-mini"] }, { model: "gpt-4o-mini" }],
    [{ model: "gpt-4o*" }, { model: "gpt-4o" }],
    [{ model: "gpt-4o", provider: "openrouter" }, { model: "claude-sonnet-4" }],
    [{ model: "gemini-2.5-pro", provider: "google" }, { model: "gemini-2.5-flash" }],
    [
      { model: "llama-3", provider: "own-host" },
      { model: "llama-2", provider: "other-host" },
    ],
    [{ model: "*" }, { model: "gpt-4o-mini", provider: "openai" }],
  ])("of %j may go on to %j", async (match, next) => {
    const org = await newSpender();
    const answer = await org.send("PUT", "fallbacks/a", { ...PLAIN, match, then: [next] });
    expect(answer.status).toBe(200);
  });

  test("is not set without the role and the scope of it, and read by any viewer", async () => {
    const org = await newSpender();
    await org.send("PUT", "fallbacks/a", PLAIN);
    const keyOf = async (role: string, scopes?: string[]) =>
      (await org.send("POST", "keys", { name: "k", role, ...(scopes && { scopes }) })).body.key as string;
    const path = `/v1/orgs/${org.id}/fallbacks/a`;
    const [developer, narrow, viewer] = [
      await keyOf("developer"),
      await keyOf("admin", ["org:write"]),
      await keyOf("viewer"),
    ];
    for (const [key, code] of [
      [developer, "forbidden"],
      [narrow, "missing_scope"],
    ] as const) {
      const set = await call("PUT", path, { key, body: PLAIN });
      const deleted = await call("DELETE", path, { key });
      expect([set.body.error.code, deleted.body.error.code]).toEqual([code, code]);
    }
    expect((await call("GET", path, { key: viewer })).status).toBe(200);
    expect((await call("POST", "/v1/edge/fallbacks", { key: viewer, body: { model: "m" } })).status).toBe(
      403,
    );
  });

  test("is set with the scope to write, read with the scope to read, and asked for with that of decisions", async () => {
    const org = await newSpender();
    await org.send("PUT", "fallbacks/a", PLAIN);
    const path = `/v1/orgs/${org.id}/fallbacks`;
    const codesOf = async (scope: string) => {
      const minted = await org.send("POST", "keys", { name: "k", role: "admin", scopes: [scope] });
      const key = minted.body.key as string;
      const answers = [
        await call("GET", `${path}/a`, { key }),
        await call("GET", path, { key }),
        await call("POST", "/v1/edge/fallbacks", { key, body: { model: "m" } }),
        await call("PUT", `${path}/b`, { key, body: PLAIN }),
        await call("DELETE", `${path}/b`, { key }),
      ];
      return answers.map(({ status, body }) => body?.error?.code ?? status);
    };
    const none = "missing_scope";
    expect(await codesOf("routing:read")).toEqual([200, 200, none, none, none]);
    expect(await codesOf("routing:write")).toEqual([none, none, none, 200, 204]);
    expect(await codesOf("decisions:evaluate")).toEqual([none, none, 200, none, none]);
    expect(await codesOf("runs:read")).toEqual([none, none, none, none, none]);
  });

  test("is one of at most fifty", async () => {
    const org = await newSpender();
    for (let at = 0; at < 50; at += 1) await org.send("PUT", `fallbacks/r${at}`, PLAIN);
    const more = await org.send("PUT", "fallbacks/more", PLAIN);
    const again = await org.send("PUT", "fallbacks/r1", PLAIN);
    expect([more.body.error?.code, again.status]).toEqual(["conflict", 200]);
  });
});

describe("the rules of a call", () => {
  test("are those that match it, by name, without what they match", async () => {
    const org = await newSpender();
    await org.send("PUT", "fallbacks/b", { ...PLAIN, match: { model: "gpt-*" } });
    await org.send("PUT", "fallbacks/a", { ...PLAIN, match: { model: "gpt-4o", customer_id: "acme" } });
    const one = await find(org, { model: "gpt-4o" });
    expect(one.body).toEqual({
      rules: [{ name: "b", then: [{ model: "n", provider: null }], on: ["limit"], begins: false }],
    });
    const both = await find(org, { model: "gpt-4o", customer_id: "acme" });
    expect(both.body.rules.map(({ name }: { name: string }) => name)).toEqual(["a", "b"]);
    expect((await find(org, { model: "claude" })).body).toEqual({ rules: [] });
  });

  test("match the key that asks", async () => {
    const org = await newSpender();
    const minted = await org.send("POST", "keys", { name: "k", role: "developer" });
    await org.send("PUT", "fallbacks/a", { ...PLAIN, match: { model: "m", key_id: minted.body.id } });
    const own = await call("POST", "/v1/edge/fallbacks", { key: minted.body.key, body: { model: "m" } });
    expect([own.body.rules.length, (await find(org, { model: "m" })).body.rules.length]).toEqual([1, 0]);
  });

  test("begin once a budget or a limit of the customer is used up to the share, and not before", async () => {
    const org = await newSpender();
    await org.send("PUT", "fallbacks/a", { ...PLAIN, budget_share: "0.5" });
    await org.send("POST", "budgets", { match: { workflow_id: "w" }, limit_usd: "10", period: "month" });
    await org.send("POST", "customer-limits", { customer_id: "c", limit_usd: "10", period: "month" });
    await org.send("POST", "budgets", { scope_kind: "org", limit_usd: "1", period: "month", mode: "shadow" });
    const begins = async (names: object) =>
      (await find(org, { model: "m", ...names })).body.rules[0].begins as boolean;
    await org.run({ workflow_id: "w", customer_id: "c", cost_usd: "4.99" });
    expect(await begins({ workflow_id: "w" })).toBe(false);
    await org.run({ workflow_id: "w", cost_usd: "0.01" });
    expect(await begins({ workflow_id: "w" })).toBe(true);
    expect([await begins({ customer_id: "c" }), await begins({})]).toEqual([false, false]);
    await org.decide("0.01", { customer_id: "c" });
    expect(await begins({ customer_id: "c" })).toBe(true);
  });

  test("begin by the fullest of the budgets that apply, whichever comes first, and by those of the key", async () => {
    const org = await newSpender();
    await org.send("PUT", "fallbacks/a", { ...PLAIN, budget_share: "0.5" });
    const minted = await org.send("POST", "keys", { name: "k", role: "developer" });
    const budget = (part: object, limit_usd: string) =>
      org.send("POST", "budgets", { match: part, limit_usd, period: "month" });
    await budget({ workflow_id: "first" }, "1");
    await budget({ model: "m" }, "1000");
    await budget({ workflow_id: "last" }, "1");
    await budget({ user_id: "nobody" }, "0");
    await budget({ key_id: minted.body.id }, "0");
    // A spend cap is no budget: calls do not begin elsewhere for it.
    await org.send("PUT", "spend-cap", { cap_usd: "2" });
    const begins = async (names: object, key = org.key) =>
      (await call("POST", "/v1/edge/fallbacks", { key, body: { model: "m", ...names } })).body.rules[0]
        .begins as boolean;
    for (const workflow_id of ["first", "last"]) await org.run({ workflow_id, cost_usd: "0.75" });
    expect([await begins({ workflow_id: "first" }), await begins({ workflow_id: "last" })]).toEqual([
      true,
      true,
    ]);
    expect([await begins({}), await begins({ user_id: "nobody" })]).toEqual([false, true]);
    expect(await begins({}, minted.body.key)).toBe(true);
  });

  test("are announced to gates only where there are some, with what tells calls apart", async () => {
    const org = await newSpender();
    await org.send("POST", "budgets", { match: { user_id: "u" }, limit_usd: "10", period: "month" });
    expect(await factsOf(org)).toBeUndefined();
    await org.send("PUT", "fallbacks/a", { ...PLAIN, match: { model: "m", tags: { team: "t" } } });
    const first = await factsOf(org);
    expect(first).toMatchObject({ by: ["model", "tags"], shares: false });
    await org.send("PUT", "fallbacks/a", { ...PLAIN, budget_share: "0.5" });
    const second = await factsOf(org);
    expect(second).toMatchObject({ by: ["model", "user_id"], shares: true });
    expect(second?.version).not.toBe(first?.version);
    await org.send("DELETE", "fallbacks/a");
    expect(await factsOf(org)).toBeUndefined();
  });
});

describe("a run that a rule chose the model of", () => {
  const RUN = { id: "r1", requested_model: "large", fallback: "cheaper" };

  test("says what was asked for, and is the same run only with that", async () => {
    const org = await newSpender();
    const made = await org.run(RUN);
    expect(made.body).toMatchObject({ requested_model: "large", fallback: "cheaper" });
    const read = await call("GET", "/v1/runs/r1", { key: org.key });
    expect(read.body).toMatchObject({ requested_model: "large", fallback: "cheaper" });
    expect((await org.bulk([aRun(RUN)])).body).toMatchObject({ duplicates: 1 });
    const other = await org.bulk([aRun({ ...RUN, requested_model: "larger" })]);
    expect(other.body.error).toMatchObject({ code: "conflict" });
    const plain = await org.run({ id: "r2" });
    expect(plain.body).toMatchObject({ requested_model: null, fallback: null });
  });
});
