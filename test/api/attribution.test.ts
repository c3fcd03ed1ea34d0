import { describe, expect, test } from "vitest";
import { aRun, newSpender } from "../support/ledger.ts";
import { call } from "../support/worker.ts";

const NAMES = { user_id: "u-1", provider: "acme", tags: { team: "support", "cost.center": "42" } };

const keyIdOf = async (org: { id: string; key: string }, name: string) => {
  const { body } = await call("GET", `/v1/orgs/${org.id}/keys`, { key: org.key });
  return body.data.find((one: { name: string }) => one.name === name).id as string;
};

describe("user, provider and tags of a run", () => {
  test("are returned as they were reported, with the key that reported it", async () => {
    const org = await newSpender();
    const made = await org.run({ id: "r-1", ...NAMES });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject(NAMES);
    const plain = await org.run({ id: "r-2" });
    expect(plain.body).toMatchObject({ user_id: null, provider: null, tags: {} });
    await org.bulk([aRun({ id: "r-3", ...NAMES })]);
    const read = await call("GET", "/v1/runs/r-3", { key: org.key });
    expect(read.body).toMatchObject(NAMES);
    const minted = await org.send("POST", "keys", { name: "developer", role: "developer" });
    const mine = minted.body.key as string;
    await call("POST", "/v1/runs", { key: mine, body: aRun({ id: "r-4" }) });
    const keyId = await keyIdOf(org, "developer");
    expect((await call("GET", "/v1/runs/r-4", { key: org.key })).body.key_id).toBe(keyId);
    const listed = await call("GET", `/v1/runs?key_id=${keyId}`, { key: org.key });
    expect(listed.body.data.map((one: { id: string }) => one.id)).toEqual(["r-4"]);
  });

  test("are filters of the list", async () => {
    const org = await newSpender();
    await org.bulk([
      aRun({ id: "a", user_id: "u-1", provider: "acme" }),
      aRun({ id: "b", user_id: "u-2", provider: "acme" }),
      aRun({ id: "c" }),
    ]);
    const ids = async (query: string) => {
      const { body } = await call("GET", `/v1/runs?${query}&sort=started_at`, { key: org.key });
      return body.data.map((one: { id: string }) => one.id).sort() as string[];
    };
    expect(await ids("user_id=u-1")).toEqual(["a"]);
    expect(await ids("provider=acme")).toEqual(["a", "b"]);
    expect(await ids("provider=acme&user_id=u-3")).toEqual([]);
  });

  test("are part of what a run with the same id must say again", async () => {
    const org = await newSpender();
    const first = await org.run({ id: "r-1", ...NAMES });
    const reordered = { ...NAMES, tags: { "cost.center": "42", team: "support" } };
    const again = await org.run({ id: "r-1", ...reordered });
    expect([again.status, again.body]).toEqual([200, first.body]);
    for (const other of [
      { ...NAMES, user_id: "u-2" },
      { ...NAMES, provider: "other" },
      { ...NAMES, tags: { team: "support" } },
      { ...NAMES, tags: undefined },
    ]) {
      expect((await org.run({ id: "r-1", ...other })).status).toBe(409);
    }
    await org.run({ id: "r-2" });
    expect((await org.run({ id: "r-2", tags: {} })).status).toBe(200);
  });

  test.each([
    ["user_id", { user_id: "" }],
    ["provider", { provider: "é" }],
    ["tags.Team", { tags: { Team: "x" } }],
    ["tags.team", { tags: { team: "" } }],
    ["tags.team", { tags: { team: "x".repeat(201) } }],
    ["tags", { tags: Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`t${at}`, "x"])) }],
  ])("are refused at %s where they are malformed, alone and in a batch", async (field, fields) => {
    const org = await newSpender();
    const alone = await org.run(fields);
    expect([alone.status, alone.body.error.details.fields[0].field]).toEqual([422, field]);
    const inBatch = await org.bulk([aRun(), aRun(fields)]);
    expect([inBatch.status, inBatch.body.error.details.fields[0].field]).toEqual([422, `runs[1].${field}`]);
  });

  test("are read by policies, for runs and for decisions", async () => {
    const org = await newSpender();
    const rule = {
      target: "model",
      effect: "deny",
      when: 'has(run.tags) && "team" in run.tags && run.tags.team == "red" && has(run.user_id) && run.provider == "acme"',
      reason: "not this team",
    };
    const made = await call("POST", `/v1/orgs/${org.id}/policy-rules`, { key: org.key, body: rule });
    expect(made.status).toBe(201);
    const red = { user_id: "u", provider: "acme", tags: { team: "red" } };
    expect((await org.run(red)).body.error.code).toBe("policy_blocked");
    expect((await org.run({ ...red, tags: { team: "blue" } })).status).toBe(201);
    expect((await org.run({})).status).toBe(201);
    const ask = { model: "m", checks: "all", estimate: { cost_usd: "0.01" }, ...red };
    const decided = await call("POST", "/v1/edge/decision", { key: org.key, body: ask });
    expect(decided.body.error.code).toBe("policy_blocked");
    const typed = { ...rule, when: "run.tags.team == 5" };
    const refused = await call("POST", `/v1/orgs/${org.id}/policy-rules`, { key: org.key, body: typed });
    expect(refused.status).toBe(422);
  });

  test("of an approval's attempt are those that it was given for", async () => {
    const org = await newSpender();
    const rule = { target: "model", effect: "require_approval", when: "true", reason: "ask first" };
    await call("POST", `/v1/orgs/${org.id}/policy-rules`, { key: org.key, body: rule });
    const asked = await org.run({ user_id: "u-1" });
    const { approval_id: id } = asked.body.error.details;
    await call("POST", `/v1/orgs/${org.id}/approvals/${id}/approve`, { key: org.key, body: {} });
    expect((await org.run({ user_id: "u-2", approval_id: id })).status).toBe(403);
    expect((await org.run({ user_id: "u-1", approval_id: id })).status).toBe(201);
  });
});
