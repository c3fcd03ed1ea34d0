import { expect, test } from "vitest";
import type { Meter } from "../../src/domain/meter/meter.ts";
import { judgeHere } from "../../src/edge/decision/judge.ts";
import type * as gate from "../../src/gate/index.ts";
import { inputTokensOf, tokensOf } from "../../src/gate/report/hold-line.ts";
import { type Report, readAsk } from "../../src/gate/lease/wire.ts";
import { taughtIsolate } from "../support/taught-isolate.ts";

/** What an isolate reports of reservations that are charged when they expire. */

const START = Date.parse("2027-01-01T00:00:00Z");
const BUDGET: Meter = {
  id: "budget",
  kind: "budget",
  scope: { kind: "org", id: "" },
  limit: 10n ** 12n,
  window: { kind: "period", period: "month" },
  mode: "enforce",
  sinceMs: 0,
};
const ESTIMATE = { cost_usd: "0.01", input_tokens: 5, max_output_tokens: 2 };
const NAMES = {
  model: "m",
  action: "a",
  workflow_id: "w",
  deployment_id: "d",
  department_id: "f",
  customer_id: "c",
  user_id: "u",
  provider: "p",
  variant: "v",
  approval_id: "apr_A",
  tags: { team: "red" },
};
const ASK: gate.DecisionAsk = { ...NAMES, estimate: ESTIMATE, on_expiry: "charge" };

async function isolate(more: Partial<gate.DecisionAsk> = {}, onExpiry?: "charge" | "release") {
  const ask = { ...ASK, ...more };
  const decisionPlan = { checks: { rules: [], detectors: [] } };
  const { org, decide } = await taughtIsolate({
    start: START,
    meters: [BUDGET],
    decisionPlan,
    learned: ask,
    wished: ask,
    granted: (want) => ({ add: want, share: want }),
    judge: judgeHere,
    ...(onExpiry === undefined ? {} : { onExpiry }),
  });
  return { org, decide };
}

/** The groups of holds in its next report. */
async function reported(org: gate.OrgGate): Promise<Report["ask"]["batches"][number]["holds"]> {
  let text = "";
  const object = {
    syncLeases: (sent: string) => {
      text = sent;
      return Promise.resolve(null);
    },
  };
  await org.flush({
    object: () => object,
    waitUntil: (work) => void work,
    now: () => START + 2,
    wait: () => new Promise(() => undefined),
  });
  return readAsk(text).ask.batches.flatMap(({ holds }) => holds);
}

test("it reports what the run says, whose it is, and its input and output tokens", async () => {
  const { org, decide } = await isolate();
  expect(typeof decide({ ...ASK, input: "secret", chain: { chain_id: "x" } })).toBe("string");
  const groups = await reported(org);
  expect(groups).toEqual([[0, [], [expect.any(String)], null, { ...NAMES, keyId: "key_A", chain_id: "x" }]]);
  const line = groups[0]?.[2][0] ?? "";
  expect([tokensOf(line), inputTokensOf(line)]).toEqual([7, 5]);
  expect(JSON.stringify(groups)).not.toContain("secret");
});

test("equal calls are reported together, and others apart, each once", async () => {
  const { org, decide } = await isolate();
  for (const user_id of ["u", "v", "u", "v", "u"]) expect(decide({ ...ASK, user_id })).not.toBeNull();
  for (const on_expiry of ["release", "release"] as const) decide({ ...ASK, on_expiry });
  const groups = await reported(org);
  expect(groups.map(([, , lines, , call]) => [call?.user_id, call?.on_expiry, lines.length])).toEqual([
    ["u", undefined, 3],
    ["v", undefined, 2],
    [NAMES.user_id, "release", 2],
  ]);
});

test("the org's default applies, and the call's own word wins", async () => {
  const { on_expiry: _own, ...ask } = ASK;
  const { org, decide } = await isolate({ on_expiry: undefined }, "charge");
  decide(ask);
  decide({ ...ask, on_expiry: "release" });
  const groups = await reported(org);
  expect(groups.map(([, , lines, , call]) => [lines.length, call?.on_expiry])).toEqual([
    [1, undefined],
    [1, "release"],
  ]);
});

test("what is not in tokens has none", async () => {
  const { org, decide } = await isolate();
  decide({ on_expiry: "charge", estimate: { cost_usd: "0.01" } });
  const line = (await reported(org))[0]?.[2][0] ?? "";
  expect([tokensOf(line), inputTokensOf(line)]).toEqual([0, 0]);
});

test("one that is checked against everything is decided here too", async () => {
  const { approval_id: _approval, ...named } = ASK;
  const whole = { ...named, checks: "all" as const };
  const { org, decide } = await isolate({ checks: "all", approval_id: undefined });
  expect(typeof decide(whole)).toBe("string");
  expect((await reported(org))[0]?.[4]).toMatchObject({ model: "m", keyId: "key_A" });
});
