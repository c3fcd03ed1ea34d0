import { expect, test } from "vitest";
import { readBatch } from "../../../src/domain/refusal/batch.ts";
import type { RatePolicy } from "../../../src/domain/rate/policy.ts";
import type { Meter } from "../../../src/domain/meter/meter.ts";
import { OTHER } from "../../../src/domain/refusal/sums.ts";
import { toStoredRefusals, knownLimits } from "../../../src/org/leases/outside-refusals.ts";

/** Which refusals of a gate outside are kept under the limit that it names. */

const meter = (id: string, kind: string, scope: Meter["scope"]) => ({ id, kind, scope }) as unknown as Meter;
const METERS = new Map(
  [
    meter("bud_org", "budget", { kind: "org", id: "" }),
    meter("bud_any", "budget", { kind: "customer", id: "*" }),
    meter("bud_one", "budget", { kind: "customer", id: "acme" }),
    meter("bud_flow", "budget", { kind: "workflow", id: "docs" }),
    meter("cap", "spend_cap", { kind: "org", id: "" }),
  ].map((one) => [one.id, one]),
);
const POLICIES = [
  { id: "rl_rate", kind: "rate" },
  { id: "rl_quota", kind: "quota" },
] as unknown as readonly RatePolicy[];
const knowsLimit = knownLimits(METERS, POLICIES);

const sum = (code: string, limit: string, names: object = {}) =>
  ({ hour: 0, count: 3, nanos: "5", code, limit, ...names }) as never;

test.each([
  ["a limit of the org", "budget_exceeded", "bud_org", {}, true],
  ["a limit under another code", "spend_cap_exceeded", "bud_org", {}, false],
  ["the spend cap", "spend_cap_exceeded", "cap", {}, true],
  ["a limit that is not there", "budget_exceeded", "bud_of_another_org", {}, false],
  ["a limit of every customer", "budget_exceeded", "bud_any", { customer_id: "any" }, true],
  ["a limit of every customer without one", "budget_exceeded", "bud_any", {}, false],
  ["a customer's limit", "budget_exceeded", "bud_one", { customer_id: "acme" }, true],
  ["another customer's limit", "budget_exceeded", "bud_one", { customer_id: "other" }, false],
  ["a customer's limit for several", "budget_exceeded", "bud_one", { customer_id: OTHER }, true],
  ["a workflow's limit", "budget_exceeded", "bud_flow", { workflow_id: "docs" }, true],
  ["another workflow's limit", "budget_exceeded", "bud_flow", { workflow_id: "x" }, false],
  ["a rate limit", "rate_limited", "rl_rate", {}, true],
  ["a rate limit as a quota", "quota_exhausted", "rl_rate", {}, false],
  ["a quota", "quota_exhausted", "rl_quota", {}, true],
  ["a quota as a rate limit", "rate_limited", "rl_quota", {}, false],
])("%s is known, or counted with all others", (_name, code, limit, names, isKnown) => {
  const given = { number: 1, notes: [], more: [sum(code, limit, names)] };
  const { batch } = toStoredRefusals(given, { keyId: "key_1", orgNow: 1000, knowsLimit });
  const [kept] = readBatch(batch).more;
  expect(kept).toMatchObject({ limit: isKnown ? limit : OTHER, count: 3, keyId: "key_1" });
});

test("a refusal one by one names a limit that is known, or is counted with all others", () => {
  const details = { limit_usd: "1.00", spent_usd: "1.00" };
  const note = (limit: string) =>
    ({
      at: 900,
      trace: crypto.randomUUID(),
      code: "budget_exceeded",
      limit,
      details: { ...details, budget_id: limit },
      nanos: "7",
    }) as never;
  const given = { number: 1, notes: [note("bud_org"), note("bud_of_another_org")], more: [] };
  const { notes, more } = readBatch(
    toStoredRefusals(given, { keyId: "key_1", orgNow: 1000, knowsLimit }).batch,
  );
  expect(notes.map(({ limit }) => limit)).toEqual(["bud_org"]);
  expect(more.map(({ limit, count }) => [limit, count])).toEqual([[OTHER, 1]]);
});
