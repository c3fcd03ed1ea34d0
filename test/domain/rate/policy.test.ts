import { describe, expect, test } from "vitest";
import { isMoreThanAll } from "../../../src/domain/rate/denial.ts";
import { looksAtBody, matchBeside } from "../../../src/domain/rate/match.ts";
import {
  bucketOf,
  needsNoBody,
  rateAmount,
  rateMetersFor,
  type RatePolicy,
  ratePolicyOf,
  showPolicy,
  standingOf,
} from "../../../src/domain/rate/policy.ts";

const USD: RatePolicy = {
  id: "rlp_1",
  name: "dollars",
  match: {},
  unit: "usd",
  limit: 5_000_000_000,
  window_seconds: 60,
  kind: "quota",
};
const call = { nanos: 1_250_000_000, tokens: 70 };

test("a policy counts dollars in nano-dollars, tokens as they are, and requests one by one", () => {
  const counted = (unit: RatePolicy["unit"]) => rateAmount({ ...USD, unit }, call);
  expect([counted("usd"), counted("tokens"), counted("requests")]).toEqual([1_250_000_000, 70, 1]);
});

test("a limit in dollars is kept to the nano-dollar, and read back as it was set", () => {
  const { id, limit: _, ...policy } = { ...USD, match: {} };
  const kept = (limit: number | string, limit_usd?: string) =>
    ratePolicyOf(id, { ...policy, limit, ...(limit_usd === undefined ? {} : { limit_usd }) });
  expect([kept(5).limit, kept("0.000000001").limit, kept(5, "0.25").limit]).toEqual([5e9, 1, 250_000_000]);
  expect(showPolicy(kept("0.25"))).toMatchObject({ limit: 0, limit_usd: "0.25" });
});

describe("a fixed window in dollars", () => {
  const at = (nowMs: number, amount: number) =>
    standingOf(USD, [[bucketOf(USD, 30_000), 4_000_000_000]], { amount, nowMs });

  test("has room for just what is left, and no more", () => {
    expect(at(30_000, 1_000_000_000)).toMatchObject({ used: 4e9, room: 1e9, waitMs: 0 });
    expect(at(30_000, 1_000_000_001).waitMs).toBe(30_000);
  });

  test("counts nothing of the window before it", () => {
    expect(at(59_999, 1_000_000_001).waitMs).toBe(1);
    expect(at(60_000, 5_000_000_000)).toMatchObject({ used: 0, room: 5e9, waitMs: 0 });
  });

  test("has room for its whole limit, and never for more", () => {
    expect([isMoreThanAll(USD, 5e9), isMoreThanAll(USD, 5e9 + 1)]).toEqual([false, true]);
  });
});

describe("a policy is for the calls that match it", () => {
  const keys = (match: RatePolicy["match"], names: object, keyId = "key_a") =>
    rateMetersFor([{ ...USD, match }], { route: "POST /v1/edge/decision", keyId, names }).map(
      ({ key }) => key,
    );

  test.each([
    ["one key", { key_id: "key_a" }, {}, ["rlp_1"]],
    ["another key", { key_id: "key_b" }, {}, []],
    ["one user", { user_id: "u" }, { user_id: "u" }, ["rlp_1"]],
    ["another user", { user_id: "u" }, { user_id: "v" }, []],
    ["no user", { user_id: "u" }, {}, []],
    ["each user", { user_id: "*" }, { user_id: "v" }, ['rlp_1 ["v"]']],
    ["each user, and a call without one", { user_id: "*" }, {}, []],
    ["one chain", { chain_id: "c" }, { chain: { chain_id: "c" } }, ["rlp_1"]],
    ["another chain", { chain_id: "c" }, { chain: { chain_id: "d" } }, []],
    ["each chain", { chain_id: "*" }, { chain: { chain_id: "c" } }, ['rlp_1 ["c"]']],
    ["each chain, and a call in none", { chain_id: "*" }, {}, []],
    ["each customer", { customer_id: "*" }, { customer_id: "c" }, ["rlp_1 c"]],
    ["each key", { each_key: true as const }, {}, ['rlp_1 ["key_a"]']],
    [
      "each key and user",
      { each_key: true as const, user_id: "*" },
      { user_id: "u" },
      ['rlp_1 ["u","key_a"]'],
    ],
    ["another route", { route: "POST /v1/runs" }, {}, []],
  ])("%s", (_, match, names, expected) => {
    expect(keys(match, names)).toEqual(expected);
  });

  test("whose key is known before its body", () => {
    const policy: RatePolicy = { ...USD, match: { each_key: true }, unit: "requests" };
    expect([looksAtBody(policy.match), needsNoBody(policy), needsNoBody({ ...policy, unit: "usd" })]).toEqual(
      [false, true, false],
    );
    expect(looksAtBody({ each_key: true, user_id: "*" })).toBe(true);
    expect(matchBeside({ each_key: true, customer_id: "*", user_id: "*" })).toEqual({
      parts: [],
      groupBy: ["user_id"],
    });
  });
});
