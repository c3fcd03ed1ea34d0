import { describe, expect, test } from "vitest";
import { all, codeOf, entries, RULE, sent } from "../support/checked.ts";
import { newSpender, type Spender } from "../support/ledger.ts";
import { everythingStored } from "../support/rows.ts";
import { call } from "../support/worker.ts";

const SECRET = "jane.doe@example.com";

describe("policies at the decision", () => {
  test("leave an entry and an event with each refusal, and none with a dry run", async () => {
    const org = await newSpender();
    const { id } = (await sent(org.send("POST", "policy-rules", RULE))).body;
    const dry = await sent(all(org, "1", { model: "acme/bad", dry_run: true }));
    const details = { reason: "not cleared", attempted: "acme/bad", rule_id: id };
    expect(dry.body).toMatchObject({
      decision: "deny",
      reservation: null,
      would_deny: { status: 403, code: "policy_blocked", details },
    });
    expect(await entries(org, "policy.blocked")).toEqual([]);
    const refused = await all(org, "1", { model: "acme/bad" });
    expect([refused.status, refused.body.error.details]).toEqual([403, details]);
    expect(await entries(org, "policy.blocked")).toEqual([{ target: id }]);
    expect(await org.events("policy.blocked")).toEqual([{ type: "policy.blocked", data: details }]);
    expect((await org.decide("1", { model: "acme/bad" })).status).toBe(200);
  });

  test("require the model only if one of them is about models", async () => {
    const org = await newSpender();
    const byAction = { ...RULE, target: "action", when: 'action == "delete"' };
    await sent(org.send("POST", "policy-rules", byAction));
    expect((await org.decide("1", { checks: "all" })).status).toBe(200);
    expect(codeOf(await org.decide("1", { checks: "all", action: "delete" }))).toBe("policy_blocked");
    await sent(org.send("POST", "policy-rules", RULE));
    const refused = await org.decide("1", { checks: "all" });
    expect(refused.status).toBe(422);
    expect(refused.body.error.details.fields).toMatchObject([{ field: "model", code: "required" }]);
    expect((await org.decide("1", { checks: "limits" })).status).toBe(200);
  });

  test("refuse if they fail; in shadow mode they allow and leave an entry", async () => {
    const org = await newSpender();
    const shadow = await sent(org.send("POST", "policy-rules", { ...RULE, when: "true", mode: "shadow" }));
    expect((await all(org, "1")).status).toBe(200);
    expect(await entries(org, "policy.shadow_matched")).toEqual([{ target: shadow.body.id }]);
    expect((await all(org, "1", { dry_run: true })).body.decision).toBe("allow");
    expect(await entries(org, "policy.shadow_matched")).toHaveLength(1);
    await sent(org.send("POST", "policy-rules", { ...RULE, when: 'run.metadata.team == "x"' }));
    expect(codeOf(await all(org, "1"))).toBe("policy_expression_error");
  });

  test("read what the ask says about the run, with the most that it may use", async () => {
    const org = await newSpender();
    const when =
      'estimate.max_output_tokens == 4096 && run.usage.output_tokens == 4096 && run.chain.chain_id == "x" && run.tags["team"] == "a" && has(run.started_at) && !has(run.input) && run.cost_usd == 1.0';
    await sent(org.send("POST", "policy-rules", { ...RULE, when }));
    const estimate = { cost_usd: "1", input_tokens: 5 };
    const fields = { chain: { chain_id: "x" }, tags: { team: "a" }, input: "hello", estimate };
    expect(codeOf(await all(org, "1", fields))).toBe("policy_blocked");
    expect((await all(org, "1", { ...fields, tags: { team: "b" } })).status).toBe(200);
  });

  test("require an approval, which one decision uses up and its replay does not", async () => {
    const org = await newSpender();
    const gate = { ...RULE, effect: "require_approval", when: "estimate.cost_usd > 5.0", reason: "dear" };
    await sent(org.send("POST", "policy-rules", gate));
    const dry = await sent(all(org, "9", { dry_run: true }));
    expect(dry.body.would_deny.code).toBe("policy_approval_required");
    expect(dry.body.would_deny.details).not.toHaveProperty("approval_id");
    expect((await org.send("GET", "approvals")).body.data).toEqual([]);
    const refused = await all(org, "9", { request_id: "q1" });
    expect(codeOf(refused)).toBe("policy_approval_required");
    const { approval_id } = refused.body.error.details;
    expect((await all(org, "9", { dry_run: true })).body.would_deny.details.approval_id).toBe(approval_id);
    await sent(org.send("POST", `approvals/${approval_id}/approve`));
    const fields = { request_id: "q1", approval_id };
    const both = await Promise.all([all(org, "9", fields), all(org, "9", { ...fields, request_id: "q2" })]);
    expect(both.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 403]);
    expect((await org.send("GET", `approvals/${approval_id}`)).body.status).toBe("used");
    const requestId = both[0]?.status === 200 ? "q1" : "q2";
    const again = await all(org, "9", { ...fields, request_id: requestId });
    expect(again.body).toEqual(both.find(({ status }) => status === 200)?.body);
    const unknown = await all(org, "9", { approval_id: "apr_nobody" });
    expect(unknown.body.error.details.fields).toMatchObject([{ field: "approval_id", code: "unknown" }]);
  });

  test("do not use up an approval if a limit refuses", async () => {
    const org = await newSpender();
    await sent(org.send("POST", "policy-rules", { ...RULE, effect: "require_approval", when: "true" }));
    const { approval_id } = (await all(org, "9")).body.error.details;
    await sent(org.send("POST", `approvals/${approval_id}/approve`));
    await sent(org.send("PUT", "spend-cap", { cap_usd: "1" }));
    expect((await all(org, "9")).body.error).toMatchObject({
      code: "spend_cap_exceeded",
      details: { reason: "pre_flight" },
    });
    expect((await org.send("GET", `approvals/${approval_id}`)).body.status).toBe("approved");
  });
});

describe("the input of a decision", () => {
  const detectors = [
    { id: "email", kind: "builtin", action: "block" },
    { id: "project", kind: "pattern", pattern: "PROJ-[0-9]{4}", action: "shadow" },
  ];

  async function watched(): Promise<Spender> {
    const org = await newSpender();
    await sent(org.send("PUT", "content-safety", { detectors }));
    return org;
  }

  test("is scanned, and stored nowhere", async () => {
    const org = await watched();
    const refused = await all(org, "1", { input: { messages: [`marker-4711 ${SECRET}`] }, request_id: "q1" });
    expect([refused.status, refused.body.error.details]).toEqual([
      403,
      { detector: "email", sample: SECRET },
    ]);
    expect(await org.events("safety.blocked")).toEqual([
      { type: "safety.blocked", data: { detector: "email" } },
    ]);
    expect((await all(org, "1", { input: "marker-4711 PROJ-1234", request_id: "q2" })).status).toBe(200);
    expect(await entries(org, "safety.shadow_matched")).toEqual([{ target: "project" }]);
    const stored = await everythingStored(org.id);
    for (const text of ["marker-4711", SECRET, "PROJ-1234"]) expect(stored).not.toContain(text);
  });

  test("is part of the fingerprint: other input with the same request id is refused", async () => {
    const org = await watched();
    const first = await sent(all(org, "1", { request_id: "q", input: { a: 1, b: 2 } }));
    const same = await sent(all(org, "1", { request_id: "q", input: { b: 2, a: 1 } }));
    expect(same.body).toEqual(first.body);
    expect(codeOf(await all(org, "1", { request_id: "q", input: SECRET }))).toBe("conflict");
    expect(codeOf(await all(org, "1", { request_id: "q" }))).toBe("conflict");
    expect(codeOf(await org.decide("1", { request_id: "q", model: "acme/m1" }))).toBe("conflict");
  });

  test("allows a body of 256 KiB, and nothing else does", async () => {
    const org = await watched();
    const near = "x ".repeat(130_000);
    expect((await all(org, "1", { input: near })).status).toBe(200);
    expect(codeOf(await all(org, "1", { input: `${near}${SECRET}` }))).toBe("content_safety_blocked");
    expect((await all(org, "1", { input: `${near}${near}` })).status).toBe(413);
    expect((await all(org, "1", { tags: { note: near } })).status).toBe(413);
    expect((await org.decide("1", { action: near })).status).toBe(413);
  });
});

describe("an org's decision defaults", () => {
  const defaultsOf = async (org: Spender) =>
    (await call("GET", `/v1/orgs/${org.id}`, { key: org.key })).body.decision_defaults;
  const change = (org: Spender, decision_defaults: object) =>
    call("PATCH", `/v1/orgs/${org.id}`, { key: org.key, body: { decision_defaults } });

  test("apply to decisions that do not say otherwise, from the response on", async () => {
    const org = await newSpender();
    await sent(org.send("POST", "policy-rules", RULE));
    expect(await defaultsOf(org)).toEqual({ checks: "limits", on_expiry: "release" });
    expect((await org.decide("1", { model: "acme/bad" })).status).toBe(200);
    expect((await change(org, { checks: "all" })).body.decision_defaults.checks).toBe("all");
    expect(codeOf(await org.decide("1", { model: "acme/bad" }))).toBe("policy_blocked");
    expect((await org.decide("1", { model: "acme/bad", checks: "limits" })).status).toBe(200);
    await sent(change(org, { on_expiry: "charge" }));
    expect(await defaultsOf(org)).toEqual({ checks: "all", on_expiry: "charge" });
    await sent(change(org, { checks: "limits" }));
    expect((await org.decide("1", { model: "acme/bad" })).status).toBe(200);
    expect(await defaultsOf(org)).toEqual({ checks: "limits", on_expiry: "charge" });
  });

  test("do not change the answer to a repeated request", async () => {
    const org = await newSpender();
    const ask = { model: "acme/m1", request_id: "q" };
    const first = await sent(org.decide("1", ask));
    await sent(change(org, { checks: "all" }));
    expect((await org.decide("1", ask)).body).toEqual(first.body);
  });

  test.each([{ checks: "some" }, { on_expiry: "keep" }, { other: 1 }])("refuse %j", async (defaults) => {
    const org = await newSpender();
    expect((await change(org, defaults)).status).toBe(422);
  });

  test("can be changed by an admin only", async () => {
    const org = await newSpender();
    const minted = await call("POST", `/v1/orgs/${org.id}/keys`, {
      key: org.key,
      body: { name: "d", role: "developer" },
    });
    const body = { decision_defaults: { checks: "all" } };
    expect((await call("PATCH", `/v1/orgs/${org.id}`, { key: minted.body.key, body })).status).toBe(403);
  });
});
