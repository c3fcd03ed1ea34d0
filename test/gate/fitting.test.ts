import { expect, test } from "vitest";
import { isRefusal } from "../../src/contract/refusal.ts";
import { type Meter, NO_USAGE, windowOf } from "../../src/domain/meter/meter.ts";
import { ceilingOf } from "../../src/domain/price/ceiling.ts";
import * as gate from "../../src/gate/index.ts";
import { taughtIsolate } from "../support/taught-isolate.ts";

/** Decisions that ask for as many output tokens as fit, in an isolate. */

const START = Date.UTC(2027, 0, 1);
const NANO = 1_000_000_000n;
/** A dollar for a million output tokens: a thousand nano-dollars each. Input is free. */
const PRICE = {
  rates: { input: 0n, output: NANO },
  tiers: [],
  units: new Map<string, bigint>(),
  variants: new Map<string, bigint>(),
};
const meter: Meter = {
  id: "bud_A",
  kind: "budget",
  scope: { kind: "org", id: "" },
  limit: 100n * NANO,
  window: { kind: "period", period: "month" },
  mode: "enforce",
  sinceMs: 0,
};
const ask = (least: number | undefined, most: number): gate.DecisionAsk => ({
  model: "m",
  estimate: {
    input_tokens: 10,
    max_output_tokens: most,
    ...(least === undefined ? {} : { min_output_tokens: least }),
  },
});

const UNBOUNDED = { untilMs: null, contextWindow: null, maxOutputTokens: null };

/** With a slice for so many output tokens. */
function isolate(tokens: number) {
  return taughtIsolate({
    start: START,
    meters: [meter],
    decisionPlan: { ceiling: { ...ceilingOf(PRICE), ...UNBOUNDED } },
    learned: ask(undefined, 10),
    wished: ask(undefined, 10),
    granted: () => ({ add: BigInt(tokens) * 1000n, share: BigInt(tokens) * 1000n }),
  });
}

const reservationIn = (text: unknown) => JSON.parse(String(text)).reservation;

test("an isolate with room for the most reserves the most, and tells the bound only to who asked for it", async () => {
  const { decide } = await isolate(1000);
  expect(reservationIn(decide(ask(256, 500)))).toMatchObject({
    amount_usd: "0.0005",
    max_output_tokens: 500,
  });
  expect(reservationIn(decide(ask(undefined, 500)))).not.toHaveProperty("max_output_tokens");
});

test("an isolate never shrinks a call to its slice: what it has no room for is for the object", async () => {
  const { decide } = await isolate(1000);
  expect(decide(ask(256, 1001))).toBeNull();
  expect(decide(ask(1, 4000))).toBeNull();
  expect(reservationIn(decide(ask(256, 1000)))).toMatchObject({ max_output_tokens: 1000 });
});

/** The limit as the object found it when it refused the ask, and an isolate that heard of it. */
async function refusedOnce(refused: gate.DecisionAsk, roomNanos: bigint) {
  const { org, decide } = await isolate(0);
  const caller = gate.newGateCaller(
    { id: "org_A", rates: { policies: [] }, checks: "limits", onExpiry: "release" },
    "key_A",
    "p".repeat(32),
  );
  const usage = { ...NO_USAGE, spent: 100n * NANO - roomNanos };
  const accounts = [{ meter, subject: "", window: windowOf(meter, START), usage }];
  const decisionPlan = {
    accounts,
    matters: { department: [], workflow: [], deployment: [], customer: false },
    ceiling: { ...ceilingOf(PRICE), ...UNBOUNDED },
  };
  const refusal = { refused: true, code: "budget_exceeded", status: 402, message: "", details: {} } as never;
  const verdict = { refusal, text: null, rates: [], decisionPlan, orgNow: START, version: "1" };
  gate.installPlan(org, caller, refused, { verdict, askedAt: START, now: START });
  return decide;
}

test("an isolate refuses what the object refused the least of, and no call whose least may fit", async () => {
  // There is room for 300 tokens.
  const decide = await refusedOnce(ask(400, 5000), 300_000n);
  const again = decide(ask(400, 5000));
  expect(isRefusal(again)).toBe(true);
  expect(isRefusal(decide(ask(401, 500)))).toBe(true);
  expect(decide(ask(256, 5000))).toBeNull();
  expect(decide(ask(399, 5000))).toBeNull();
});
