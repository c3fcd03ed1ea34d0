import { exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { GateBinding } from "../../src/client/gate/index.ts";
import { call, newOrg } from "../support/worker.ts";

const ASK = { estimate: { cost_usd: "0.01" } };
const RUN = { model: "m", usage: { input_tokens: 1, output_tokens: 1 }, cost_usd: "0.005" };

describe("a call to the Gate entrypoint", () => {
  const binding = (exports as unknown as { Gate: GateBinding }).Gate;

  test("takes a body as text too, which means the same", async () => {
    const org = await newOrg();
    const run = { ...RUN, id: crypto.randomUUID(), model: "für 火", started_at: new Date().toISOString() };
    const statusOf = ({ text }: { text: string }) =>
      (JSON.parse(text) as { results: { status: string }[] }).results.map(({ status }) => status);
    const told = await binding.settle(org.ownerKey, JSON.stringify({ runs: [run] }));
    expect(statusOf(told)).toEqual(["accepted"]);
    expect(statusOf(await binding.settle(org.ownerKey, [run]))).toEqual(["duplicate"]);
    expect((await binding.settle(org.ownerKey, "[]")).status).toBe(422);
  });

  test("is checked as over HTTP", async () => {
    const org = await newOrg();
    const decided = await binding.decide(org.ownerKey, ASK);
    expect(decided.status).toBe(200);
    expect(JSON.parse(decided.text)).toMatchObject({ decision: "allow" });
    expect((await binding.decide("svc_live_wrong", ASK)).status).toBe(401);
    expect((await binding.settle(await org.mint("viewer"), [])).status).toBe(403);
    expect((await binding.leases(org.ownerKey, { version: 9 })).status).toBe(422);
    expect((await binding.leases(org.ownerKey, '{"version":9}')).status).toBe(422);
    expect((await binding.leases(org.ownerKey, '{"version":')).status).toBe(422);
    expect((await binding.release(org.ownerKey, "rsv_none/../..")).status).toBe(404);
    await call("PATCH", `/v1/orgs/${org.id}`, {
      key: org.ownerKey,
      body: { ip_allow_list: ["127.0.0.1/32"] },
    });
    expect((await binding.decide(org.ownerKey, ASK)).status).toBe(403);
  });
});
