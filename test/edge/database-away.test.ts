import { createExecutionContext } from "cloudflare:test";
import { expect, test } from "vitest";
import type { Env } from "../../src/edge/env.ts";
import worker from "../../src/index.ts";
import { answerOf } from "../support/answer.ts";
import { env, newOrg, operatorKey } from "../support/worker.ts";

/** A database that fails in each of the two ways in which a call can. */
function databaseThat(fails: () => unknown): object {
  const statement = { bind: () => statement, first: fails, run: fails, all: fails, raw: fails };
  return { prepare: () => statement, batch: fails };
}

const DATABASES = {
  "throws at once": databaseThat(() => {
    throw new Error("D1_ERROR: Network connection lost.");
  }),
  "answers with an error": databaseThat(() => Promise.reject(new Error("storage operation timed out"))),
};

async function ask(database: object, method: string, path: string, key: string, body?: object) {
  const away: Env = { ...env, DB: database as D1Database };
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const request = new Request(`http://sluice.test${path}`, init) as Parameters<typeof worker.fetch>[0];
  return answerOf(await worker.fetch(request, away, createExecutionContext()));
}

test.each(Object.entries(DATABASES))(
  "every call that needs a database that %s is 503",
  async (_, database) => {
    const org = await newOrg();
    const cohort = { name: "c", metric: "tokens_per_run", org_ids: [org.id] };
    const plan = { runs_limit: null, tokens_limit: null, overage_policy: "allow" };
    const grant = { scope: "read_only", reason: "r", expires_in_seconds: 60 };
    const calls: [method: string, path: string, key: string, body?: object][] = [
      ["GET", "/v1/admin/orgs", operatorKey()],
      ["POST", "/v1/admin/orgs", operatorKey(), { name: "n" }],
      ["PATCH", `/v1/admin/orgs/${org.id}`, operatorKey(), { plan: "standard" }],
      ["GET", "/v1/admin/plans", operatorKey()],
      ["PUT", "/v1/admin/plans/standard", operatorKey(), plan],
      ["POST", "/v1/admin/benchmarks/cohorts", operatorKey(), cohort],
      ["GET", "/v1/benchmarks/cohorts", org.ownerKey],
      ["GET", "/v1/benchmarks/cohorts/coh_01M7GF32F2G5QYEF64VQNZSR8J", org.ownerKey],
      ["POST", `/v1/orgs/${org.id}/support-grants`, org.ownerKey, grant],
      ["POST", "/v1/admin/support-sessions", operatorKey(), { grant_id: "grt_01M7GF32F2G5QYEF64VQNZSR8J" }],
    ];
    for (const [method, path, key, body] of calls) {
      const answer = await ask(database, method, path, key, body);
      expect([method, path, answer.status, answer.body.error]).toEqual([
        method,
        path,
        503,
        { code: "service_unavailable", message: expect.any(String), details: {} },
      ]);
    }
    const unconcerned = await ask(database, "GET", `/v1/orgs/${org.id}`, org.ownerKey);
    expect(unconcerned.status).toBe(200);
  },
);
