import { describe, expect, test } from "vitest";
import { RULE } from "../support/checked.ts";
import { entries, governed } from "../support/governed-runs.ts";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import { everythingStored } from "../support/rows.ts";
import { call } from "../support/worker.ts";

describe("a policy", () => {
  test("blocks with exactly the contract's details, an entry and an event, and charges nothing", async () => {
    const { org, ruleId } = await governed();
    const refused = await org.run({ model: "acme/bad" });
    expect(refused.status).toBe(403);
    const details = { reason: "not cleared", attempted: "acme/bad", rule_id: ruleId };
    expect(refused.body.error).toMatchObject({ code: "policy_blocked" });
    expect(refused.body.error.details).toEqual(details);
    expect(await entries(org, "policy.blocked")).toMatchObject([{ target: ruleId, outcome: "refused" }]);
    expect(await org.events("policy.blocked")).toEqual([{ type: "policy.blocked", data: details }]);
    expect((await call("GET", "/v1/runs", { key: org.key })).body.data).toEqual([]);
    expect((await org.run()).status).toBe(201);
  });

  test.each([
    "estimate.cost_usd > 0 && estimate.input_tokens + 1 == 11",
    "run.cost_usd + 0.5 == 1.5 && run.cost_usd == 1",
    'run.metadata.team == "a" || run.metadata["team"] == 5',
    'has(run.chain) || !has(run.later_field) && model in ["acme/m1"]',
    'run.metadata.list.exists(x, x == "b") && [1, 2.5].all(x, x > 0)',
    'now > timestamp("2020-01-01T00:00:00Z") && size(run.metadata) == 2 && run.usage.output_tokens == 5.0',
  ])("can say %s, and matches", async (when) => {
    const { org } = await governed({ when });
    const refused = await org.run({ metadata: { team: "a", list: ["b"] } });
    expect(refused.body.error).toMatchObject({ code: "policy_blocked" });
  });

  test("on actions names the action, and ignores runs without one", async () => {
    const { org } = await governed({ target: "action", when: 'action.startsWith("delete")' });
    expect((await org.run({ action: "delete_all" })).body.error.details.attempted).toBe("delete_all");
    expect((await org.run({ action: "read" })).status).toBe(201);
    expect((await org.run()).status).toBe(201);
  });

  test("that fails at run time is 500 with its rule, and nothing is recorded", async () => {
    const { org, ruleId } = await governed({ effect: "allow", when: 'run.metadata.team == "x"' });
    const failed = await org.run();
    expect(failed.status).toBe(500);
    expect(failed.body.error).toMatchObject({
      code: "policy_expression_error",
      details: { rule_id: ruleId },
    });
    expect(await entries(org, "policy.failed")).toMatchObject([{ target: ruleId, outcome: "refused" }]);
    expect((await org.run({ metadata: { team: "y" } })).status).toBe(201);
  });

  test("in shadow mode allows the run and leaves an audit entry", async () => {
    const { org, ruleId } = await governed({ mode: "shadow", when: "true" });
    expect((await org.run()).status).toBe(201);
    expect(await entries(org, "policy.shadow_matched")).toMatchObject([{ target: ruleId, outcome: "done" }]);
  });

  test("is in force as soon as it is written, changed or deleted", async () => {
    const { org, ruleId } = await governed();
    expect((await org.run({ model: "acme/bad" })).status).toBe(403);
    await org.send("PATCH", `policy-rules/${ruleId}`, { when: 'model == "acme/worse"' });
    expect((await org.run({ model: "acme/bad" })).status).toBe(201);
    expect((await org.run({ model: "acme/worse" })).status).toBe(403);
    await org.send("DELETE", `policy-rules/${ruleId}`);
    expect((await org.run({ model: "acme/worse" })).status).toBe(201);
  });

  test("does not refuse a run that already happened", async () => {
    const { org } = await governed();
    expect((await org.run({ model: "acme/bad", incurred: true })).status).toBe(201);
  });

  test("in a bulk call refuses only its own runs, and a batch that it refuses whole gets its code", async () => {
    const { org, ruleId } = await governed();
    const mixed = await org.bulk([aRun(), aRun({ model: "acme/bad" })]);
    expect(mixed.status).toBe(200);
    expect(mixed.body).toMatchObject({ accepted: 1, rejected: 1 });
    expect(mixed.body.results[1].error).toMatchObject({
      code: "policy_blocked",
      details: { rule_id: ruleId },
    });
    const all = await org.bulk([aRun({ model: "acme/bad" }), aRun({ model: "acme/bad" })]);
    expect(all.status).toBe(403);
    expect(all.body.error.code).toBe("policy_blocked");
    expect(await org.events("policy.blocked")).toHaveLength(3);
    expect(await entries(org, "policy.blocked")).toHaveLength(3);
  });
});

describe("content safety", () => {
  const SECRET = "jane.doe@example.com";
  const detectors = [
    { id: "email", kind: "builtin", action: "block" },
    { id: "project", kind: "pattern", pattern: "PROJ-[0-9]{4}", action: "shadow" },
  ];

  async function watched(): Promise<Spender> {
    const org = await newSpender();
    const set = await org.send("PUT", "content-safety", { detectors });
    expect(set.status).toBe(200);
    expect(set.body.detectors).toEqual(detectors);
    return org;
  }

  test("blocks with detector and sample, and the input is stored nowhere", async () => {
    const org = await watched();
    const input = { messages: [{ role: "user", content: `marker-4711 write to ${SECRET}` }] };
    const refused = await org.run({ input }, { "idempotency-key": "safety-1" });
    expect(refused.status).toBe(403);
    expect(refused.body.error).toMatchObject({
      code: "content_safety_blocked",
      details: { detector: "email", sample: SECRET },
    });
    expect(await org.events("safety.blocked")).toEqual([
      { type: "safety.blocked", data: { detector: "email" } },
    ]);
    expect(await entries(org, "safety.blocked")).toMatchObject([{ target: "email", outcome: "refused" }]);

    const runs = [aRun({ input: "marker-4711 PROJ-1234" }), aRun({ input })];
    expect((await org.bulk(runs, { "idempotency-key": "safety-2" })).body).toMatchObject({
      accepted: 1,
      rejected: 1,
    });
    expect(await entries(org, "safety.shadow_matched")).toMatchObject([
      { target: "project", outcome: "done" },
    ]);
    const stored = await everythingStored(org.id);
    expect(stored).not.toContain("marker-4711");
    expect(stored).not.toContain(SECRET);
    expect(stored).not.toContain("PROJ-1234");
  });

  test("is checked after the policies", async () => {
    const org = await watched();
    await org.send("POST", "policy-rules", RULE);
    expect((await org.run({ model: "acme/bad", input: SECRET })).body.error.code).toBe("policy_blocked");
  });

  test.each([
    [
      "detectors[0].pattern",
      { id: "x", kind: "pattern", pattern: "(a+", action: "block" },
      "invalid_pattern",
    ],
    [
      "detectors[0].pattern",
      { id: "x", kind: "pattern", pattern: "(a)\\1", action: "block" },
      "invalid_pattern",
    ],
    ["detectors[0].pattern", { id: "x", kind: "pattern", pattern: "a*", action: "block" }, "invalid_pattern"],
    ["detectors[0].pattern", { id: "x", kind: "pattern", action: "block" }, "required"],
    ["detectors[0].id", { id: "nothing", kind: "builtin", action: "block" }, "invalid_value"],
    ["detectors[0].action", { id: "email", kind: "builtin", action: "warn" }, "invalid_value"],
  ])("refuses a detector at %s: %j", async (field, detector, code) => {
    const org = await newSpender();
    const { status, body } = await org.send("PUT", "content-safety", { detectors: [detector] });
    expect(status).toBe(422);
    expect(body.error.details.fields).toContainEqual(expect.objectContaining({ field, code }));
  });
});
