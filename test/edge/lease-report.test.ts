import { expect, test } from "vitest";
import { OrgGate } from "../../src/gate/org-gate.ts";
import { AllowCache } from "../../src/gate/decision/allow-cache.ts";
import { MOST_CALL_BYTES, toWire } from "../../src/edge/region/wire.ts";
import { newId } from "../../src/domain/bytes/ulid.ts";
import { accountKey } from "../../src/gate/decision/account-key.ts";
import { newSpender } from "../support/ledger.ts";
import { countOfHolds, isOpen } from "../support/holds.ts";
import { env } from "../support/worker.ts";
import { useRealLives } from "../support/lives.ts";

useRealLives();

const HOLDS = 20_000;
const CUSTOMERS = 2000;
const NANOS = 10_000_000;
/** The longest that a call may have, of three bytes each. */
const TAGS = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`tag${at}`, "語".repeat(200)]));
const ACTOR = { kind: "system", id: "system", role: "owner", onBehalfOf: null, address: null } as const;

test("a report that is too large for another region is sent in parts, and held once", async () => {
  const org = await newSpender();
  const limit = { scope_kind: "org", limit_usd: "1000000", period: "total", mode: "enforce" };
  const { id } = (await org.send("POST", "budgets", limit)).body;
  const home = env.ORG.getByName(org.id);
  let largest = 0;
  // Like the home region's door, which reads no larger call.
  const syncLeases = async (report: string) => {
    const { length } = toWire({ org: org.id, method: "syncLeases", args: [report] });
    largest = Math.max(largest, length);
    if (length > MOST_CALL_BYTES) throw new Error("404");
    return home.syncLeases(report);
  };
  const background = {
    object: () => ({ syncLeases }),
    waitUntil: (work: Promise<unknown>) => void work,
    now: Date.now,
    wait: (ms: number) => scheduler.wait(ms),
  };

  const envelope = { actor: ACTOR, trace: "test", idempotency: null, ifMatch: null };
  const ask = { estimate: { cost_usd: "0" }, dry_run: true };
  const decisionPlan = (await home.decide({ ask, keyId: ACTOR.id, wantsPlan: true, envelope, report: null }))
    ?.decisionPlan;
  const keys = (decisionPlan?.accounts ?? []).map(accountKey);
  const gate = new OrgGate(crypto.randomUUID(), new AllowCache());
  const slices = keys.map((key) => gate.leaseClient.slice(key));
  for (let call = 0; call < 8; call += 1) for (const slice of slices) gate.leaseClient.miss(slice, 1e12);
  await gate.flush(background);
  const now = Math.min(...slices.map(({ until }) => until)) - 1;
  const limitSets = Array.from({ length: CUSTOMERS }, (_, index) => ({
    keys,
    meters: (decisionPlan?.accounts ?? []).map(({ meter }) => meter.id).join(" "),
    customer: `${index}`.padStart(128, "c"),
    keyId: "key_A",
    rates: Array.from({ length: 20 }, (_each, policy) => `rate\n\n${newId("rlp", policy)}`),
  }));
  for (let number = 0; number < HOLDS; number += 1) {
    const limitSet = limitSets[number % CUSTOMERS];
    if (limitSet === undefined) throw new Error("every hold has its customer");
    expect(
      gate.leaseClient.take(
        slices,
        Array.from(slices, () => NANOS),
        now,
      ),
    ).toBe(true);
    const times = { at: Date.now(), expiresAt: Date.now() + 900_000 };
    const charge = { call: JSON.stringify({ user_id: `u${number}`, tags: TAGS }), inputTokens: 1e9 };
    const made = { limitSet, id: newId("rsv", times.at), named: false, nanos: NANOS, tokens: 1e9, ...times };
    gate.leaseClient.note({ ...made, charge: number % 40 === 0 ? charge : null });
  }
  for (let report = 0; report < 2000 && !gate.leaseClient.idle; report += 1) await gate.flush(background);

  expect(largest).toBeLessThan(MOST_CALL_BYTES);
  expect(gate.leaseClient.idle).toBe(true);
  expect(await countOfHolds(org.id, isOpen)).toBe(HOLDS);
  expect((await org.send("GET", `budgets/${id}`)).body.reserved_usd).toBe("200.00");
});
