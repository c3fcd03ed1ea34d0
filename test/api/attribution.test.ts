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

  test("are kept whatever a tag is called, alone, in a batch, and in a decision that is charged", async () => {
    const org = await newSpender();
    const tags = JSON.parse('{"__proto__":"x","constructor":"y"}') as object;
    const said = '{"__proto__":"x","constructor":"y"}';
    const alone = await org.run({ id: "t-1", tags });
    expect([alone.status, JSON.stringify(alone.body.tags)]).toEqual([201, said]);
    expect((await org.run({ id: "t-1", tags: { constructor: "y" } })).status).toBe(409);
    await org.bulk([aRun({ id: "t-2", tags })]);
    const read = await call("GET", "/v1/runs/t-2", { key: org.key });
    expect(JSON.stringify(read.body.tags)).toBe(said);
    const wrong = await org.run({ tags: JSON.parse('{"__proto__":5}') as object });
    expect(wrong.body.error.details.fields[0].field).toBe("tags.__proto__");
    const report = await org.send("GET", "usage/report?group_by=tag:__proto__");
    expect(
      report.body.data.map((row: Record<string, unknown>) => [row["tag:__proto__"], row["runs"]]),
    ).toEqual([["x", 2]]);
  });
});

test("a tag's value has up to 200 characters, however they are written", async () => {
  const org = await newSpender();
  const tags = { face: "\u{1f600}".repeat(200) };
  const run = aRun({ id: "faces", tags });
  expect((await org.run(run)).body.tags).toEqual(tags);
  expect((await org.bulk([run])).body.results[0].status).toBe("duplicate");
  expect((await org.decide("0.01", { tags })).status).toBe(200);
  for (const value of ["\u{1f600}".repeat(201), "x".repeat(201), ""]) {
    const longer = { tags: { face: value } };
    for (const refused of [await org.run(longer), await org.decide("0.01", longer)]) {
      expect([refused.status, refused.body.error.details.fields[0].field]).toEqual([422, "tags.face"]);
    }
  }
});

describe("the outcome of a run", () => {
  test("is what its caller says, and completed unless said", async () => {
    const org = await newSpender();
    const failed = await org.run({ id: "o-1", outcome: "failed", estimated: true });
    expect(failed.body).toMatchObject({ outcome: "failed", estimated: true });
    expect((await org.run({ id: "o-2" })).body).toMatchObject({ outcome: "completed", estimated: false });
    await org.bulk([aRun({ id: "o-3", outcome: "cancelled" }), aRun({ id: "o-4", outcome: "completed" })]);
    expect((await call("GET", "/v1/runs/o-3", { key: org.key })).body.outcome).toBe("cancelled");
    expect((await org.run({ id: "o-1", outcome: "failed", estimated: true })).status).toBe(200);
    expect((await org.run({ id: "o-1", outcome: "failed" })).status).toBe(409);
    expect((await org.run({ id: "o-1", estimated: true })).status).toBe(409);
    expect((await org.run({ id: "o-2", outcome: "completed", estimated: false })).status).toBe(200);
    for (const fields of [{ outcome: "unreported" }, { estimated: "yes" }]) {
      const alone = await org.run(fields);
      expect([alone.status, alone.body.error.details.fields[0].field]).toEqual([422, Object.keys(fields)[0]]);
      expect((await org.bulk([aRun(fields)])).status).toBe(422);
    }
  });

  test("filters the list and groups the report, also where it is not stored", async () => {
    const org = await newSpender();
    await org.bulk([
      aRun({ id: "a", outcome: "failed", cost_usd: "1" }),
      aRun({ id: "b", cost_usd: "2" }),
      aRun({ id: "c", outcome: "completed", cost_usd: "4" }),
    ]);
    await call("POST", "/v1/runs/b/adjustments", { key: org.key, body: { amount_usd: "-0.5", reason: "r" } });
    const ids = async (query: string) => {
      const { body } = await call("GET", `/v1/runs?${query}`, { key: org.key });
      return body.data.map((one: { id: string }) => one.id).sort() as string[];
    };
    expect(await ids("outcome=failed")).toEqual(["a"]);
    expect(await ids("outcome=completed")).toEqual(["b", "c"]);
    expect(await ids("outcome=cancelled")).toEqual([]);
    expect((await call("GET", "/v1/runs?outcome=done", { key: org.key })).status).toBe(422);
    const sums = async (query: string) => {
      const { body } = await org.send("GET", `usage/report?${query}`);
      return body.data.map((row: { outcome: string; cost_usd: string }) => [row.outcome, row.cost_usd]);
    };
    expect(await sums("group_by=outcome")).toEqual([
      ["completed", "5.50"],
      ["failed", "1.00"],
    ]);
    expect(await sums("group_by=outcome&outcome=completed")).toEqual([["completed", "5.50"]]);
    expect(await sums("group_by=outcome&outcome=failed")).toEqual([["failed", "1.00"]]);
  });

  test("is read by policies, with the variant and whether it is estimated", async () => {
    const org = await newSpender();
    const deny = (when: string) =>
      call("POST", `/v1/orgs/${org.id}/policy-rules`, {
        key: org.key,
        body: { target: "model", effect: "deny", when, reason: "r" },
      });
    expect((await deny('run.outcome == "failed" && run.estimated')).status).toBe(201);
    expect((await deny('has(run.variant) && run.variant == "slow"')).status).toBe(201);
    expect((await deny("run.outcome == 5")).status).toBe(422);
    expect((await org.run({ outcome: "failed", estimated: true })).body.error.code).toBe("policy_blocked");
    expect((await org.run({ outcome: "failed" })).status).toBe(201);
    expect((await org.run({ variant: "slow", cost_usd: "0.01" })).body.error.code).toBe("policy_blocked");
    const ask = { model: "m", checks: "all", variant: "slow", estimate: { cost_usd: "0.01" } };
    const decided = await call("POST", "/v1/edge/decision", { key: org.key, body: ask });
    expect(decided.body.error.code).toBe("policy_blocked");
  });
});
