import { createExecutionContext } from "cloudflare:test";
import { expect, test } from "vitest";
import type { Env } from "../../src/edge/env.ts";
import { AllowCache } from "../../src/gate/decision/allow-cache.ts";
import { LEASE } from "../../src/gate/lease/protocol.ts";
import { OrgGate } from "../../src/gate/org-gate.ts";
import worker from "../../src/index.ts";
import { lengthenLives, useRealLives } from "../support/lives.ts";
import { call, env, newOrg, operatorKey, type TestOrg } from "../support/worker.ts";

/** Reads that come one after another, which an isolate counts from a slice of the read limit. */

useRealLives();

const READ_KEY = "rate\n\nread";
const ROUTE = "GET /v1/orgs/{id}";

/** The Worker's environment. Reports of isolates fail, and what requests bring to be counted is noted. */
function noting(reports: (string | null)[]): Env {
  const stubOf = (name: string) => {
    const stub = env.ORG.getByName(name);
    return new Proxy(stub, {
      get:
        (_, method: string) =>
        (...given: unknown[]) => {
          if (method === "syncLeases") return Promise.reject(new Error("lost"));
          if (method === "admitRequest") reports.push(given[1] as string | null);
          const methods = stub as unknown as Record<string, (...args: unknown[]) => unknown>;
          return methods[method]?.(...given);
        },
    });
  };
  return { ...env, ORG: { getByName: stubOf } as unknown as Env["ORG"] };
}

async function read(org: TestOrg, by: Env): Promise<number> {
  const headers = { authorization: `Bearer ${org.ownerKey}` };
  const request = new Request(`http://sluice.test/v1/orgs/${org.id}`, { headers });
  const incoming = request as Parameters<typeof worker.fetch>[0];
  return (await worker.fetch(incoming, by, createExecutionContext())).status;
}

async function limitReads(org: TestOrg, read_rpm: number): Promise<void> {
  const path = `/v1/admin/orgs/${org.id}/rate-limits`;
  const set = await call("PUT", path, { key: operatorKey(), body: { read_rpm, policies: [] } });
  expect(set.status).toBe(200);
}

const usedOf = async (org: TestOrg) =>
  (await env.ORG.getByName(org.id).lookAtLimits([READ_KEY])).find(({ key }) => key === READ_KEY)?.used;

test("a read that the object counts brings back a slice for the next ones", async () => {
  const org = await newOrg();
  await limitReads(org, 100_000);
  lengthenLives();
  Object.assign(LEASE, { syncMs: LEASE.lifeMs });
  const reports: (string | null)[] = [];
  const by = noting(reports);
  for (let sent = 0; sent < 20; sent += 1) expect(await read(org, by)).toBe(200);
  const carried = reports.flatMap((report, at) => (report === null ? [] : [at]));
  // Eight reads make the traffic steady, and the ninth asks.
  expect(carried).toEqual([8]);
  expect(reports).toHaveLength(9);
  // What is leased counts as used.
  expect(await usedOf(org)).toBeGreaterThanOrEqual(20);
});

test("reads of several isolates that lease with them never pass the limit, and each counts once", async () => {
  const limit = 400;
  const org = await newOrg();
  await limitReads(org, limit);
  const before = (await usedOf(org)) ?? 0;
  lengthenLives();
  const object = env.ORG.getByName(org.id);
  const isolates = Array.from({ length: 3 }, () => new OrgGate(crypto.randomUUID(), new AllowCache()));
  let [admitted, fromSlices, refused] = [0, 0, 0];
  const readIn = async (gate: OrgGate): Promise<void> => {
    const slices = [gate.leaseClient.slice(READ_KEY)];
    if (gate.leaseClient.take(slices, [1], Date.now())) {
      fromSlices += 1;
      admitted += 1;
      return;
    }
    const carried = gate.carry(slices, Date.now());
    const reply = await object.admitRequest({ route: ROUTE, keyId: "key_1" }, carried?.text ?? null);
    if (carried !== null) gate.answered(carried, reply?.leases ?? null, Date.now());
    for (const slice of slices) gate.leaseClient.miss(slice, 1);
    if (reply?.refusal === null) admitted += 1;
    else refused += 1;
  };
  for (let round = 0; round < limit; round += 1) await Promise.all(isolates.map(readIn));
  expect(before + admitted).toBeLessThanOrEqual(limit);
  expect(before + admitted).toBeGreaterThan(limit * 0.9);
  expect(fromSlices).toBeGreaterThan(0);
  expect(refused).toBeGreaterThan(0);
  const background = {
    object: () => object,
    waitUntil: (work: Promise<unknown>) => void work,
    now: Date.now,
    wait: (ms: number) => scheduler.wait(ms),
  };
  for (const gate of isolates) await gate.close(background);
  expect(await usedOf(org)).toBe(before + admitted);
});
