import { expect, test } from "vitest";
import { denialOf } from "../../../src/domain/refusal/limit-denials.ts";
import { type Account, type Meter, NO_USAGE, windowOf } from "../../../src/domain/meter/meter.ts";

const NOW = Date.parse("2026-10-25T12:00:00Z");
const attempt = { nanos: 2_500_000_000n, tokens: 900, depth: 4 };

function accountOf(meter: Partial<Meter> & Pick<Meter, "kind">): Account {
  const whole: Meter = {
    id: "bud_1",
    scope: { kind: "org", id: "" },
    limit: 10_000_000_000n,
    window: { kind: "period", period: "month" },
    mode: "enforce",
    sinceMs: Date.parse("2026-10-02T00:00:00Z"),
    ...meter,
  };
  const usage = { ...NO_USAGE, spent: 9_000_000_000n, over: 500_000_000n, held: 100_000_000n };
  return { meter: whole, subject: "", window: windowOf(whole, NOW), usage };
}

test("a budget says which one, its scope, its amounts and its period", () => {
  const account = accountOf({ kind: "budget", scope: { kind: "workflow", id: "w" } });
  expect(denialOf(account, attempt, "run")).toEqual({
    status: 402,
    code: "budget_exceeded",
    details: {
      budget_id: "bud_1",
      scope_kind: "workflow",
      limit_usd: "10.00",
      spent_usd: "9.50",
      period_start: "2026-10-01T00:00:00.000Z",
      period_end: "2026-11-01T00:00:00.000Z",
    },
  });
});

test("a customer limit refuses as a budget of the customer, without an end if it never resets", () => {
  const account = accountOf({
    id: "clm_1",
    kind: "customer_limit",
    scope: { kind: "customer", id: "*" },
    window: { kind: "period", period: "total" },
  });
  expect(denialOf(account, attempt, "decision").details).toMatchObject({
    budget_id: "clm_1",
    scope_kind: "customer",
    period_start: "2026-10-02T00:00:00.000Z",
    period_end: null,
  });
});

test("a spend cap says when it resets, with the offset then in force, and before a run that nothing was spent", () => {
  const cap = accountOf({ kind: "spend_cap", window: { kind: "local_day", timeZone: "Europe/Berlin" } });
  const details = { cap_usd: "10.00", spent_usd: "9.50", resets_at: "2026-10-26T00:00:00.000+01:00" };
  expect(denialOf(cap, attempt, "run")).toEqual({ status: 402, code: "spend_cap_exceeded", details });
  expect(denialOf(cap, attempt, "decision").details).toEqual({ ...details, reason: "pre_flight" });
});

test("the prepaid quota and the credits say what is left and what was attempted", () => {
  const details = { available_usd: "0.40", attempted_usd: "2.50" };
  expect(denialOf(accountOf({ kind: "quota" }), attempt, "run")).toEqual({
    status: 402,
    code: "quota_exhausted",
    details: { quota: "prepaid", ...details },
  });
  expect(denialOf(accountOf({ kind: "credits" }), attempt, "run")).toEqual({
    status: 402,
    code: "credits_exhausted",
    details,
  });
});

test("what is left is never shown below zero", () => {
  const account = accountOf({ kind: "quota", limit: 1n });
  expect(denialOf(account, attempt, "run").details).toMatchObject({ available_usd: "0.00" });
});

test("a plan counts in whole runs and tokens", () => {
  const account = {
    ...accountOf({ kind: "plan_tokens", limit: 1000n }),
    usage: { ...NO_USAGE, spent: 990n },
  };
  expect(denialOf(account, attempt, "run")).toEqual({
    status: 402,
    code: "plan_limit_exceeded",
    details: { limit_kind: "tokens", limit: 1000, used: 990 },
  });
});

test.each([
  ["chain_cost", 402, { reason: "cost", current: "9.50", attempted: "2.50", limit: "10.00" }],
  ["chain_depth", 429, { reason: "depth", current: 3, attempted: 4, limit: 10_000_000_000 }],
  ["chain_tokens", 429, { reason: "tokens", current: 9_500_000_000, attempted: 900, limit: 10_000_000_000 }],
] as const)("%s refuses with %d and names the exceeded limit", (kind, status, details) => {
  expect(denialOf(accountOf({ kind }), attempt, "run")).toEqual({
    status,
    code: "chain_budget_exceeded",
    details,
  });
});
