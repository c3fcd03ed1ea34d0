import { LeaseClient } from "../../src/gate/lease/lease-client.ts";
import { writeAsk } from "../../src/gate/lease/wire.ts";
import type { Spender } from "./ledger.ts";
import { env } from "./worker.ts";

/** An org gets a rate limit, and an isolate, which is not heard of again, a slice of it. */
export async function leaseRate(org: Spender, limit: number, windowSeconds: number): Promise<void> {
  const policy = {
    name: "limit",
    match: {},
    unit: "requests",
    limit,
    window_seconds: windowSeconds,
    kind: "rate",
  };
  const set = await org.operate("PUT", "/v1/admin/orgs/{org}/rate-limits", {
    read_rpm: null,
    policies: [policy],
  });
  const leaseClient = new LeaseClient<never>(crypto.randomUUID());
  const slice = leaseClient.slice(`rate\n\n${set.body.policies[0].id}`);
  for (let call = 0; call < 8; call += 1) leaseClient.miss(slice, 1);
  const report = { touches: [], watch: [], lagMs: 0, heard: null, refusals: null };
  await env.ORG.getByName(org.id).syncLeases(writeAsk({ ...report, ask: leaseClient.ask(Date.now()) }));
}
