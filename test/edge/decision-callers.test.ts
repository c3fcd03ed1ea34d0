import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, test, vi } from "vitest";
import type { Env } from "../../src/edge/env.ts";
import { expectAnswers } from "../support/expect-answers.ts";
import { call, env, newOrg, operatorKey, type TestOrg } from "../support/worker.ts";
import { useRealLives } from "../support/lives.ts";
import { knows, SMALL_DECISION as body, untilStatus } from "./known-caller.ts";

useRealLives();

/** What a decision is answered, for any caller. */

async function changed(org: TestOrg, statement: string, ...values: unknown[]): Promise<void> {
  await runInDurableObject(env.ORG.getByName(org.id), (_object, state) => {
    state.storage.sql.exec(statement, ...values);
  });
}
afterEach(() => void vi.restoreAllMocks());

describe("a caller", () => {
  test("without a key of this service", async () => {
    const { ownerKey } = await newOrg();
    await knows(ownerKey);
    const from = "203.0.113.181";
    const authorized = (authorization: string) => ({ from, body, headers: { authorization } });
    await expectAnswers({
      "no key": [{ from, body }, 401],
      "another scheme": [authorized(`Basic ${ownerKey}`), 401],
      "scheme in lower case": [authorized(`bearer ${ownerKey}`), 401],
      "two spaces": [authorized(`Bearer  ${ownerKey}`), 401],
      "no scheme": [authorized(ownerKey), 401],
    });
    await expectAnswers({
      "a mistyped key": [{ from: "203.0.113.182", key: `${ownerKey}x`, body }, 401],
      "a forged key": [{ from: "203.0.113.183", key: "svc_live_forged", body }, 401],
      "the operator": [{ key: operatorKey(), body }, 403],
      "a key with spaces around": [{ body, headers: { authorization: ` Bearer ${ownerKey} ` } }, 200],
    });
  });

  test.each(["viewer", "developer", "admin", "owner"])("with role %s", async (role) => {
    const org = await newOrg();
    const key = await org.mint(role);
    await expectAnswers(role === "viewer" ? { role: [{ key, body }, 403] } : { role: [{ key, body }, 200] });
  });

  test("whose key has the scope but not the role", async () => {
    const org = await newOrg();
    const key = await org.mint("developer", { name: "lowered" });
    await changed(org, "UPDATE keys SET role = 'viewer' WHERE name = 'lowered'");
    await expectAnswers({ lowered: [{ key, body }, 403] });
  });

  test("with and without the scope", async () => {
    const org = await newOrg();
    const without = await org.mint("developer", { scopes: ["runs:write", "runs:read"] });
    const only = await org.mint("developer", { scopes: ["decisions:evaluate"] });
    await expectAnswers({ without: [{ key: without, body }, 403], only: [{ key: only, body }, 200] });
  });

  test("whose key is revoked", async () => {
    const org = await newOrg();
    const made = await call("POST", `/v1/orgs/${org.id}/keys`, {
      key: org.ownerKey,
      body: { name: "k", role: "developer" },
    });
    const { id, key } = made.body as { id: string; key: string };
    await expectAnswers({ before: [{ key, body }, 200] });
    await call("DELETE", `/v1/orgs/${org.id}/keys/${id}`, { key: org.ownerKey });
    await untilStatus(key, 410);
    await expectAnswers({ after: [{ key, body }, 410] });
  });

  test("whose key expires, by the org's clock", async () => {
    const org = await newOrg({ environment: "test" });
    const hence = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
    const ending = await org.mint("developer", { expires_at: hence(3600) });
    const coming = await org.mint("developer", { not_before: hence(3600) });
    await expectAnswers({ ending: [{ key: ending, body }, 200], coming: [{ key: coming, body }, 401] });
    await call("POST", `/v1/admin/orgs/${org.id}/test-clock`, {
      key: operatorKey(),
      body: { advance_seconds: 7200 },
    });
    await untilStatus(ending, 401);
    await untilStatus(coming, 200);
    await expectAnswers({ ending: [{ key: ending, body }, 401], coming: [{ key: coming, body }, 200] });
  });

  test("whose org is suspended, and resumed", async () => {
    const org = await newOrg();
    const key = org.ownerKey;
    const operate = (verb: string) =>
      call("POST", `/v1/admin/orgs/${org.id}/${verb}`, { key: operatorKey() });
    await knows(key);
    await operate("suspend");
    await untilStatus(key, 403);
    await expectAnswers({ suspended: [{ key, body }, 403] });
    await operate("resume");
    await untilStatus(key, 200);
    await expectAnswers({ resumed: [{ key, body }, 200] });
  });

  test("whose address is on the org's list or not", async () => {
    const org = await newOrg();
    const key = org.ownerKey;
    await knows(key);
    const list = { ip_allow_list: ["192.0.2.0/24", "2001:db8::/32"] };
    await call("PATCH", `/v1/orgs/${org.id}`, { key, body: list });
    await untilStatus(key, 403);
    await expectAnswers({
      on: [{ key, body, from: "192.0.2.9" }, 200],
      "on, of the other family": [{ key, body, from: "2001:db8::1" }, 200],
      off: [{ key, body, from: "198.51.100.1" }, 403],
      "off, by a hair": [{ key, body, from: "192.0.3.0" }, 403],
      "on the list by its own word": [{ key, body, headers: { "x-forwarded-for": "192.0.2.9" } }, 403],
      "of no address": [{ key, body, headers: { "cf-connecting-ip": null } }, 403],
      "of no address that reads": [{ key, body, from: "here" }, 403],
    });
  });

  test("whose org may not be served here, or has its home elsewhere", async () => {
    const away = await newOrg();
    await changed(away, "INSERT INTO residency (one, regions) VALUES (1, ?)", '["eu"]');
    const foreign = await newOrg();
    const elsewhere = { ...env, SVC_REGION: "eu" } as Env;
    const kept = await newOrg();
    await changed(kept, "INSERT INTO residency (one, regions) VALUES (1, ?)", '["local"]');
    await untilStatus(away.ownerKey, 403);
    await expectAnswers({
      away: [{ key: away.ownerKey, body }, 403],
      kept: [{ key: kept.ownerKey, body }, 200],
      elsewhere: [{ key: foreign.ownerKey, body, env: elsewhere }, 503],
    });
  });
});
