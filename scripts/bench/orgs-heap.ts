import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { newGateCaller } from "../../src/gate/snapshot/caller.ts";
import { decideHere, noteDemand } from "../../src/gate/decision/decision.ts";
import { installPlan } from "../../src/gate/snapshot/install-plan.ts";
import type { Background } from "../../src/gate/lease/background.ts";
import { Gates, MOST_ORGS } from "../../src/gate/gates.ts";
import { KeyCache } from "../../src/edge/identity/key-cache.ts";
import { newId } from "../../src/domain/bytes/ulid.ts";
import type { BenchRow } from "./bench-row.ts";
import { standIn } from "./orgs-stand-in.ts";

/**
 * How much memory an isolate uses for its orgs, measured where garbage can be collected: the isolate's own code, with
 * the keys, limits and slices of each org, in the same engine.
 */
export async function heapRows(orgs: number): Promise<BenchRow[]> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const isolate = { keys: new KeyCache(), gates: new Gates(() => crypto.randomUUID()) };
  const kept = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const empty = kept();
  const rows: BenchRow[] = [];
  const atOnce = Math.min(orgs, MOST_ORGS);
  for (const name of ["memory: orgs in traffic", "memory: as many others"]) {
    const ends: (() => Promise<void>)[] = [];
    for (let org = 0; org < atOnce; org += 1) ends.push(await use(isolate));
    const bytes = kept() - empty;
    for (const end of ends) await end();
    const note = `${(bytes / 1e6).toFixed(1)} MB kept, ${(bytes / atOnce / 1000).toFixed(1)} kB for each of ${atOnce}`;
    rows.push({ name, perSecond: 0, cpuMicros: null, ratio: null, of: null, target: null, note });
  }
  return rows;
}

interface Isolate {
  readonly keys: KeyCache;
  readonly gates: Gates;
}

/**
 * Brings one org into use: its key, what its calls touch, and slices of all five limits. Returns a function that ends
 * its traffic.
 */
async function use({ keys, gates }: Isolate): Promise<() => Promise<void>> {
  const now = Date.now();
  const orgId = newId("org", now);
  const keyId = newId("key", now);
  const object = standIn(orgId);
  const bearer = `svc_live_${orgId}${keyId}_${"x".repeat(49)}`;
  const digest = keyId.slice(4).padEnd(64, "0");
  keys.set(bearer, digest, await object.authenticate(keyId), now);
  const gate = gates.of(orgId);
  if (gate === null) throw new Error("the isolate is full");
  const caller = newGateCaller(
    { id: orgId, rates: { policies: [] }, checks: "limits", onExpiry: "release" },
    keyId,
    "pepper",
  );
  const ask = { estimate: { cost_usd: "0.00125" } };
  const background: Background = {
    object: () => object,
    waitUntil: () => {},
    now: Date.now,
    wait: () => new Promise(() => {}),
  };
  for (let call = 0; call < 8; call += 1) {
    const verdict = await object.decide({ wantsPlan: true });
    installPlan(gate, caller, ask, { verdict, askedAt: now, now: Date.now() });
    noteDemand(gate, caller, ask, { now, background });
  }
  await gate.flush(background);
  if (decideHere(gate, caller, ask, { now, background }) === null) throw new Error("nothing was leased");
  return async () => {
    while (!gate.leaseClient.idle) await gate.flush(background);
  };
}
