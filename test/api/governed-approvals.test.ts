import { describe, expect, test } from "vitest";
import { parseKey } from "../../src/domain/key/api-key.ts";
import { RULE } from "../support/checked.ts";
import { governed } from "../support/governed-runs.ts";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import { rowsOf } from "../support/rows.ts";
import { signedIn } from "../support/session.ts";
import { call, env, newOrg } from "../support/worker.ts";

const keyIdOf = (key: string): string => parseKey(env.SVC_KEY_PEPPER, key)?.keyId ?? "";

describe("an approval", () => {
  test("that does not exist is refused, naming its field, with and without rules, alone and in a batch", async () => {
    const { org } = await governed();
    const other = await newSpender();
    for (const spender of [org, other]) {
      const refused = await spender.run({ id: "r1", approval_id: "apr_nobody" });
      expect(refused.status).toBe(422);
      expect(refused.body.error.details.fields).toMatchObject([{ field: "approval_id", code: "unknown" }]);
      const mixed = await spender.bulk([aRun(), aRun({ approval_id: "apr_nobody" })]);
      expect(mixed.body.results[1].error).toMatchObject({ code: "validation_failed" });
      expect((await spender.run({ id: "r1" })).status).toBe(201);
    }
    expect((await org.run({ incurred: true, approval_id: "apr_nobody" })).status).toBe(201);
  });

  const GATE = { effect: "require_approval", when: "estimate.cost_usd > 5", reason: "dear" };

  async function requested(): Promise<{ org: Spender; ruleId: string; id: string }> {
    const { org, ruleId } = await governed(GATE);
    const held = await org.run({ cost_usd: "9" });
    expect(held.status).toBe(403);
    expect(held.body.error.code).toBe("policy_approval_required");
    const id = held.body.error.details.approval_id as string;
    expect(held.body.error.details).toEqual({
      reason: "dear",
      attempted: "acme/m1",
      rule_id: ruleId,
      approval_id: id,
    });
    return { org, ruleId, id };
  }

  test("is created by the refusal, found by the same attempt, decided, and allows it once", async () => {
    const { org, ruleId, id } = await requested();
    const again = await org.run({ cost_usd: "9.00", started_at: "2026-11-15T03:00:00Z" });
    expect(again.body.error.details.approval_id).toBe(id);
    expect(await org.events("policy.approval_requested")).toHaveLength(1);
    const other = await org.run({ cost_usd: "10" });
    expect(other.body.error.details.approval_id).not.toBe(id);

    const listed = await org.send("GET", "approvals?status=pending");
    expect(listed.body.data).toHaveLength(2);
    const approved = await org.send("POST", `approvals/${id}/approve`);
    expect(approved.body).toMatchObject({
      id,
      status: "approved",
      rule_id: ruleId,
      attempt: { cost_usd: "9.00" },
    });
    expect(await org.events("policy.approval_decided")).toMatchObject([{ data: { decision: "approved" } }]);

    expect((await org.run({ cost_usd: "9", approval_id: id })).status).toBe(201);
    expect((await org.send("GET", `approvals/${id}`)).body).toMatchObject({ status: "used" });
    const third = await org.run({ cost_usd: "9", approval_id: id });
    expect(third.body.error.code).toBe("policy_approval_required");
    expect(third.body.error.details.approval_id).not.toBe(id);
  });

  test("used by two calls at once allows one", async () => {
    const { org, id } = await requested();
    await org.send("POST", `approvals/${id}/approve`);
    const both = await Promise.all([org.run({ cost_usd: "9" }), org.run({ cost_usd: "9" })]);
    expect(both.map(({ status }) => status).sort((left, right) => left - right)).toEqual([201, 403]);
  });

  test("in one bulk call allows one of two equal attempts", async () => {
    const { org, id } = await requested();
    await org.send("POST", `approvals/${id}/approve`);
    const { body } = await org.bulk([aRun({ cost_usd: "9" }), aRun({ cost_usd: "9" })]);
    expect(body).toMatchObject({ accepted: 1, rejected: 1 });
    const waiting = await org.send("GET", "approvals?status=pending");
    expect(waiting.body.data[0].id).toBe(body.results[1].error.details.approval_id);
  });

  test("is not used up by a run that another limit refuses", async () => {
    const { org, id } = await requested();
    await org.send("POST", `approvals/${id}/approve`);
    const capped = await org.send("PUT", "spend-cap", { cap_usd: "1" });
    expect(capped.status).toBe(200);
    expect((await org.run({ cost_usd: "9" })).body.error.code).toBe("spend_cap_exceeded");
    expect((await org.send("GET", `approvals/${id}`)).body.status).toBe("approved");
  });

  test("that was denied cannot be decided again", async () => {
    const { org, id } = await requested();
    expect((await org.send("POST", `approvals/${id}/deny`)).body.status).toBe("denied");
    for (const verb of ["approve", "deny"]) {
      expect((await org.send("POST", `approvals/${id}/${verb}`)).body.error.code).toBe("conflict");
    }
    expect((await org.run({ cost_usd: "9" })).status).toBe(403);
  });

  test("decided by two admins at once is decided once", async () => {
    const { org, id } = await requested();
    const both = await Promise.all([
      org.send("POST", `approvals/${id}/approve`),
      org.send("POST", `approvals/${id}/deny`),
    ]);
    expect(both.map(({ status }) => status).sort((left, right) => left - right)).toEqual([200, 409]);
  });

  test("expires, and the same attempt then creates a new one", async () => {
    const { org, id } = await requested();
    await org.advance(8 * 86_400);
    expect((await org.send("GET", `approvals/${id}`)).body.status).toBe("expired");
    expect((await org.send("POST", `approvals/${id}/approve`)).status).toBe(409);
    expect((await org.run({ cost_usd: "9" })).body.error.details.approval_id).not.toBe(id);
  });

  test("must be decided by another admin, unless there is only one", async () => {
    const org = await newOrg();
    const path = `/v1/orgs/${org.id}`;
    await call("POST", `${path}/policy-rules`, { key: org.ownerKey, body: { ...RULE, ...GATE } });
    const second = await org.mint("admin");
    const held = await call("POST", "/v1/runs", { key: second, body: aRun({ cost_usd: "9" }) });
    const approve = `${path}/approvals/${held.body.error.details.approval_id}/approve`;
    const own = await call("POST", approve, { key: second });
    expect(own.body.error.code).toBe("forbidden");
    expect((await call("POST", approve, { key: org.ownerKey })).status).toBe(200);
  });

  test("lets no attempt in another chain, variant or mix of tokens pass", async () => {
    const org = await newSpender();
    await org.send("POST", "policy-rules", { ...RULE, ...GATE });
    const attempt = {
      cost_usd: "9",
      chain: { chain_id: "c1" },
      variant: "batch",
      usage: { input_tokens: 10, output_tokens: 5, cache_read_tokens: 3 },
    };
    const held = await org.run(attempt);
    const id = held.body.error.details.approval_id as string;
    expect((await org.send("POST", `approvals/${id}/approve`)).status).toBe(200);
    const others = [
      { ...attempt, chain: { chain_id: "c2" } },
      { ...attempt, chain: undefined },
      { ...attempt, variant: undefined },
      { ...attempt, usage: { ...attempt.usage, cache_read_tokens: 4 } },
      { ...attempt, usage: { input_tokens: 10, output_tokens: 5 } },
    ];
    for (const other of others) {
      const refused = await org.run({ ...other, approval_id: id });
      expect(refused.body.error.code).toBe("policy_approval_required");
    }
    expect((await org.run(attempt)).status).toBe(201);
  });

  test("shows whoever decides all that rules go by", async () => {
    const org = await newSpender();
    await org.send("POST", "policy-rules", { ...RULE, ...GATE });
    const attempt = {
      cost_usd: "9",
      action: "send",
      workflow_id: "w",
      deployment_id: "p",
      department_id: "d",
      customer_id: "c",
      chain: { chain_id: "c1" },
      variant: "batch",
      metadata: { ticket: "T-1", parts: [1, 2] },
    };
    const shown = async (fields: object) => {
      const { approval_id: id } = (await org.run(fields)).body.error.details;
      return (await org.send("GET", `approvals/${id}`)).body.attempt;
    };
    expect(await shown(attempt)).toEqual({
      ...attempt,
      model: "acme/m1",
      cost_usd: "9.00",
      chain: { chain_id: "c1", parent_run_id: null },
      metadata_omitted: false,
      input_tokens: 10,
      output_tokens: 5,
    });
    const plain = await shown({ cost_usd: "9" });
    expect(plain).toMatchObject({ workflow_id: null, chain: null, metadata: null, metadata_omitted: false });
    const long = await shown({ cost_usd: "9", metadata: { text: "x".repeat(5000) } });
    expect(long).toMatchObject({ metadata: null, metadata_omitted: true });
  });

  test("is not decided with a key that its requester minted, as long as another admin can", async () => {
    const org = await newOrg();
    const path = `/v1/orgs/${org.id}`;
    await call("POST", `${path}/policy-rules`, { key: org.ownerKey, body: { ...RULE, ...GATE } });
    const requester = await org.mint("admin");
    const mint = async (key: string) =>
      (await call("POST", `${path}/keys`, { key, body: { name: "fresh", role: "admin" } })).body
        .key as string;
    const fresh = await mint(requester);
    const fresher = await mint(fresh);
    const held = await call("POST", "/v1/runs", { key: requester, body: aRun({ cost_usd: "9" }) });
    const approval = `${path}/approvals/${held.body.error.details.approval_id}`;
    for (const key of [requester, fresh, fresher]) {
      for (const verb of ["approve", "deny"]) {
        expect((await call("POST", `${approval}/${verb}`, { key })).body.error?.code).toBe("forbidden");
      }
    }
    const colleague = await org.mint("admin");
    expect((await call("POST", `${approval}/approve`, { key: colleague })).status).toBe(200);
  });

  test("is decided with a key that its requester minted where nobody else can", async () => {
    const org = await newOrg();
    const path = `/v1/orgs/${org.id}`;
    await call("POST", `${path}/policy-rules`, { key: org.ownerKey, body: { ...RULE, ...GATE } });
    const minted = await org.mint("admin");
    const held = await call("POST", "/v1/runs", { key: org.ownerKey, body: aRun({ cost_usd: "9" }) });
    const approve = `${path}/approvals/${held.body.error.details.approval_id}/approve`;
    expect((await call("POST", approve, { key: org.ownerKey })).body.error.code).toBe("forbidden");
    expect((await call("POST", approve, { key: minted })).status).toBe(200);
  });

  test("is not decided by the minter of the requester's key, or with another key of theirs, revoked or rotated", async () => {
    const org = await newOrg();
    const path = `/v1/orgs/${org.id}`;
    await call("POST", `${path}/policy-rules`, { key: org.ownerKey, body: { ...RULE, ...GATE } });
    const minter = await org.mint("admin");
    const mint = async () =>
      (await call("POST", `${path}/keys`, { key: minter, body: { name: "fresh", role: "admin" } })).body
        .key as string;
    const [requester, sibling] = [await mint(), await mint()];
    const rotate = `${path}/keys/${keyIdOf(requester)}/rotate`;
    const rotated = (await call("POST", rotate, { key: org.ownerKey, body: {} })).body.key as string;
    const held = await call("POST", "/v1/runs", { key: rotated, body: aRun({ cost_usd: "9" }) });
    const approve = `${path}/approvals/${held.body.error.details.approval_id}/approve`;
    for (const key of [minter, sibling]) {
      expect((await call("POST", approve, { key })).body.error?.code).toBe("forbidden");
    }
    await call("DELETE", `${path}/keys/${keyIdOf(minter)}`, { key: org.ownerKey });
    expect((await call("POST", approve, { key: minter })).status).toBe(410);
    expect((await call("POST", approve, { key: sibling })).body.error?.code).toBe("forbidden");
    expect((await call("POST", approve, { key: org.ownerKey })).status).toBe(200);
  });

  test("is not decided with a key of the same beginning, where an admin of another one can", async () => {
    const org = await newOrg();
    const path = `/v1/orgs/${org.id}`;
    await call("POST", `${path}/policy-rules`, { key: org.ownerKey, body: { ...RULE, ...GATE } });
    const [requester, sibling, other] = [
      await org.mint("developer"),
      await org.mint("admin"),
      await org.mint("admin"),
    ];
    await rowsOf(org.id, "UPDATE keys SET minted_by = NULL WHERE id = ?", keyIdOf(other));
    const held = await call("POST", "/v1/runs", { key: requester, body: aRun({ cost_usd: "9" }) });
    const approve = `${path}/approvals/${held.body.error.details.approval_id}/approve`;
    for (const key of [sibling, org.ownerKey]) {
      expect((await call("POST", approve, { key })).body.error?.code).toBe("forbidden");
    }
    expect((await call("POST", approve, { key: other })).status).toBe(200);
  });

  test("is not decided in the console by the person who minted the requester's key", async () => {
    const org = await newOrg();
    const path = `/v1/orgs/${org.id}`;
    await call("POST", `${path}/policy-rules`, { key: org.ownerKey, body: { ...RULE, ...GATE } });
    const person = await signedIn(org.id, "owner");
    const keyPage = await person.post("/console/keys", { name: "mine", role: "admin" });
    const requester = /svc_live_[0-9A-Za-z_]+/.exec(await keyPage.text())?.[0] ?? "";
    const held = await call("POST", "/v1/runs", { key: requester, body: aRun({ cost_usd: "9" }) });
    const id = held.body.error.details.approval_id as string;
    // Another session of the same person.
    const again = await signedIn(org.id, "owner");
    await again.post(`/console/approvals/${id}/approve`, {});
    const approval = () => call("GET", `${path}/approvals/${id}`, { key: org.ownerKey });
    expect((await approval()).body.status).toBe("pending");
    expect((await call("POST", `${path}/approvals/${id}/approve`, { key: org.ownerKey })).status).toBe(200);
  });

  test("is not decided by the person who minted the requester's key while another admin is in the console", async () => {
    const org = await newOrg();
    const path = `/v1/orgs/${org.id}`;
    await call("POST", `${path}/policy-rules`, { key: org.ownerKey, body: { ...RULE, ...GATE } });
    const person = await signedIn(org.id, "owner");
    const keyPage = await person.post("/console/keys", { name: "mine", role: "admin" });
    const requester = /svc_live_[0-9A-Za-z_]+/.exec(await keyPage.text())?.[0] ?? "";
    await rowsOf(org.id, "UPDATE keys SET revoked_at = 1 WHERE id = ?", keyIdOf(org.ownerKey));
    const held = await call("POST", "/v1/runs", { key: requester, body: aRun({ cost_usd: "9" }) });
    const id = held.body.error.details.approval_id as string;
    const status = async () =>
      (await call("GET", `${path}/approvals/${id}`, { key: requester })).body.status as string;
    const colleague = await signedIn(org.id, "admin");
    await person.post(`/console/approvals/${id}/approve`, {});
    expect(await status()).toBe("pending");
    await rowsOf(org.id, "UPDATE sessions SET revoked_at = 1 WHERE id = ?", colleague.sessionId);
    await person.post(`/console/approvals/${id}/approve`, {});
    expect(await status()).toBe("approved");
  });

  test("of another org is not found", async () => {
    const { id } = await requested();
    const other = await newOrg();
    const path = `/v1/orgs/${other.id}/approvals/${id}`;
    expect((await call("GET", path, { key: other.ownerKey })).status).toBe(404);
    expect((await call("POST", `${path}/approve`, { key: other.ownerKey })).status).toBe(404);
  });
});
