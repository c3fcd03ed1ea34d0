import { expect, test } from "vitest";
import type { Account } from "../../src/domain/meter/meter.ts";
import { accountKey } from "../../src/gate/decision/account-key.ts";
import type { DecisionAsk } from "../../src/gate/decision/ask.ts";
import { newGateCaller } from "../../src/gate/snapshot/caller.ts";
import type { Background } from "../../src/gate/lease/background.ts";
import { decideHere, hasPlan } from "../../src/gate/decision/decision.ts";
import { OrgGate } from "../../src/gate/org-gate.ts";
import { AllowCache } from "../../src/gate/decision/allow-cache.ts";
import { KnownLimits, KnownAccount, newLimitSet } from "../../src/gate/decision/limit-set.ts";

const NOW = 1_763_172_000_000;
const DAY = 86_400_000;
const ASK: DecisionAsk = { estimate: { cost_usd: "0.01" } };
const nowhere: Background = {
  object: () => {
    throw new Error("nothing is asked");
  },
  waitUntil: () => undefined,
  now: () => NOW,
  wait: () => new Promise(() => undefined),
};

/** An isolate with a slice of a budget whose window ends in a day. */
function gateWithSlice(): OrgGate {
  const gate = new OrgGate("holder", new AllowCache());
  const account: Account = {
    meter: {
      id: "bud_1",
      kind: "budget",
      scope: { kind: "org", id: "" },
      window: { kind: "period", period: "day" },
      limit: 10n ** 12n,
      mode: "enforce",
      sinceMs: 0,
    },
    subject: "",
    window: { startMs: NOW, endMs: NOW + DAY },
    usage: { spent: 0n, over: 0n, held: 0n, leased: 0n },
  } as unknown as Account;
  const key = accountKey(account);
  gate.setTime(NOW, NOW, NOW);
  gate.accepts("1", NOW);
  gate.matters = new KnownLimits({ customer: false, workflow: [], deployment: [], department: [] });
  const limitSet = newLimitSet({
    accounts: [{ key, known: new KnownAccount(account, NOW) }],
    rates: [],
    customer: undefined,
    keyId: "key_A",
    isWhole: false,
    orgNow: NOW,
    sliceOf: (name) => gate.leaseClient.slice(name),
  });
  gate.sets.set(gate.matters, "key_1", ASK, limitSet);
  Object.assign(gate.leaseClient.slice(key), {
    left: 10 ** 9,
    until: NOW + 900,
    full: 10 ** 9,
    share: 10 ** 9,
  });
  return gate;
}

test("an isolate holds nothing from a slice once its window is over by the org's clock, which may have been moved", () => {
  const gate = gateWithSlice();
  const caller = newGateCaller(
    { id: "org_A", rates: { policies: [] }, checks: "limits", onExpiry: "release" },
    "key_1",
    "p".repeat(32),
  );
  const decide = () => decideHere(gate, caller, ASK, { now: NOW + 1, background: nowhere });
  expect(decide()).toContain('"decision":"allow"');
  expect(hasPlan(gate, caller, ASK, NOW + 1)).toBe(true);
  gate.setTime(NOW + DAY, NOW + 1, NOW + 1);
  expect(decide()).toBeNull();
  expect(hasPlan(gate, caller, ASK, NOW + 1)).toBe(false);
});
