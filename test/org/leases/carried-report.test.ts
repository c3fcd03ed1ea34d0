import { expect, test } from "vitest";
import { readReply, writeAsk } from "../../../src/gate/lease/wire.ts";
import { newSpender } from "../../support/ledger.ts";
import { env } from "../../support/worker.ts";

const ACTOR = { kind: "system", id: "key_test", role: "owner", onBehalfOf: null, address: null } as const;
const ENVELOPE = { actor: ACTOR, trace: "test", idempotency: null, ifMatch: null };
const ASK = { estimate: { cost_usd: "1" } };

const report = (attempt: number) =>
  writeAsk({
    ask: { holder: "isolate", attempt, batches: [], wants: new Map() },
    touches: [],
    watch: [],
    lagMs: 0,
    heard: null,
    refusals: null,
  });

const withReport = (text: string) => ({
  ask: ASK,
  keyId: ACTOR.id,
  wantsPlan: false,
  envelope: ENVELOPE,
  report: text,
});

test("a report sent with a decision is answered with it, once", async () => {
  const org = await newSpender();
  const object = env.ORG.getByName(org.id);
  const first = await object.decide(withReport(report(1)));
  expect(readReply(first?.leases ?? "").grant.attempt).toBe(1);
  const again = await object.decide(withReport(report(1)));
  expect([again?.leases, again?.refusal]).toEqual([null, null]);
});

test("a decision and its hold stand even if the report sent with it is invalid", async () => {
  const org = await newSpender();
  await org.send("POST", "budgets", { scope_kind: "org", limit_usd: "1.50", period: "total" });
  const object = env.ORG.getByName(org.id);
  const verdict = await object.decide(withReport("no report at all"));
  expect([verdict?.refusal, verdict?.leases]).toEqual([null, null]);
  expect(JSON.parse(verdict?.text ?? "").decision).toBe("allow");
  const next = await object.decide({
    ask: ASK,
    keyId: ACTOR.id,
    wantsPlan: false,
    envelope: ENVELOPE,
    report: null,
  });
  expect(next?.refusal?.code).toBe("budget_exceeded");
});
