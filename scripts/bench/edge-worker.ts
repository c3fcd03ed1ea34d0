import { LeaseClient } from "../../src/gate/lease/lease-client.ts";
import { accountKey } from "../../src/gate/decision/account-key.ts";
import { readReply, writeAsk } from "../../src/gate/lease/wire.ts";
import rowsWorker from "./rows-worker.ts";

export * from "./rows-worker.ts";

type Worker = typeof rowsWorker;
type Env = Parameters<Worker["fetch"]>[1];

const ACTOR = { kind: "system", id: "bench", role: "owner", onBehalfOf: null, address: null } as const;
const ENVELOPE = { actor: ACTOR, trace: "bench", idempotency: null, ifMatch: null };
/** A call that is worth a cent. */
const NANOS = 10_000_000;

/** By org and isolate, what it has. */
const leaseClients = new Map<string, LeaseClient<never>>();

/** Isolates with slices of so many customers, which renew them together. */
async function renew(env: Env, { searchParams }: URL): Promise<Response> {
  const org = searchParams.get("org") ?? "";
  const [isolates, customers, rounds] = ["isolates", "customers", "rounds"].map((name) =>
    Number(searchParams.get(name)),
  ) as [number, number, number];
  const object = env.ORG.getByName(org);
  const exchange = async (leaseClient: LeaseClient<never>): Promise<void> => {
    const report = { touches: [], watch: [], lagMs: 0, heard: null, refusals: null };
    const reply = await object.syncLeases(writeAsk({ ...report, ask: leaseClient.ask(Date.now()) }));
    if (reply !== null) leaseClient.granted(readReply(reply).grant);
  };
  for (let isolate = 0; isolate < isolates; isolate += 1) {
    const name = `${org} ${isolate}`;
    const known = leaseClients.get(name);
    const leaseClient = known ?? new LeaseClient<never>(`bench-${isolate}`);
    leaseClients.set(name, leaseClient);
    const newcomers = known === undefined ? customers : 0;
    for (let at = 0; at < newcomers; at += 1) {
      const ask = { estimate: { cost_usd: "0" }, dry_run: true, customer_id: `cus_${at}` };
      const verdict = await object.decide({
        ask,
        keyId: ACTOR.id,
        wantsPlan: true,
        envelope: ENVELOPE,
        report: null,
      });
      for (const account of verdict?.decisionPlan?.accounts ?? []) {
        for (let call = 0; call < 4; call += 1)
          leaseClient.miss(leaseClient.slice(accountKey(account)), NANOS);
      }
      if (at % 100 === 99) await exchange(leaseClient);
    }
    const one = leaseClient.slice("none");
    for (let round = 0; round < rounds; round += 1) {
      // Traffic goes on, and takes from none of the slices.
      leaseClient.missAll([one], [0]);
      await exchange(leaseClient);
    }
  }
  return Response.json({ purses: leaseClients.size });
}

export default {
  async fetch(request, env, context) {
    const url = new URL(request.url);
    return url.pathname === "/bench/renewals" ? renew(env, url) : rowsWorker.fetch(request, env, context);
  },
} satisfies Worker;
