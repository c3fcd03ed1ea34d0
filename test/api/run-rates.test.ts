import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import type { Answer } from "../support/worker.ts";

/** A run with this many tokens and no cost. */
const tokens = (count: number, more: object = {}) => ({
  usage: { input_tokens: count, output_tokens: 0 },
  cost_usd: "0",
  ...more,
});

async function limited(policy: object): Promise<Spender & { readonly policyId: string }> {
  const org = await newSpender();
  const policyId = await limit(org, policy);
  return { ...org, policyId };
}

async function limit(org: Spender, policy: object, readRpm: number | null = null): Promise<string> {
  const whole = {
    name: "p",
    match: {},
    unit: "tokens",
    limit: 100,
    window_seconds: 2_592_000,
    kind: "quota",
  };
  const body = { read_rpm: readRpm, policies: [{ ...whole, ...policy }] };
  const set = await org.operate("PUT", "/v1/admin/orgs/{org}/rate-limits", body);
  expect(set.status).toBe(200);
  return set.body.policies[0].id as string;
}

const seen = ({ status, body }: Answer) => [status, body?.error?.code];

/** How much of a policy is used, as reported to a decision that asks for too much. */
async function used(org: Spender, more: object = {}): Promise<number> {
  const asked = await org.decide("0", { estimate: { cost_usd: "0", input_tokens: 900_000 }, ...more });
  expect(seen(asked)).toEqual([429, "quota_exhausted"]);
  return asked.body.error.details.used as number;
}

describe("a rate-limit policy by tokens", () => {
  test("counts a run's tokens, and refuses a run above the limit without counting it", async () => {
    const org = await limited({});
    expect((await org.run(tokens(60))).status).toBe(201);
    const refused = await org.run(tokens(41));
    expect(seen(refused)).toEqual([429, "quota_exhausted"]);
    expect(refused.body.error.details).toMatchObject({
      quota: "window",
      policy_id: org.policyId,
      limit: 100,
      used: 60,
      window_seconds: 2_592_000,
    });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await org.run(tokens(40))).status).toBe(201);
    expect((await org.run(tokens(0))).status).toBe(201);
    expect(seen(await org.run(tokens(1)))).toEqual([429, "quota_exhausted"]);
    await org.advance(Number(refused.headers.get("retry-after")));
    expect((await org.run(tokens(100))).status).toBe(201);
  });

  test("with a sliding window names a wait after which the run is allowed", async () => {
    const org = await limited({ kind: "rate", window_seconds: 60 });
    expect((await org.run(tokens(100))).status).toBe(201);
    const refused = await org.run(tokens(100));
    expect(seen(refused)).toEqual([429, "rate_limited"]);
    const seconds = refused.body.error.details.retry_after_seconds as number;
    expect(refused.headers.get("retry-after")).toBe(String(seconds));
    await org.advance(seconds);
    expect((await org.run(tokens(100))).status).toBe(201);
  });

  test("counts decisions and runs together, unless it names a route", async () => {
    const org = await limited({});
    const ask = { estimate: { cost_usd: "0", input_tokens: 50, max_output_tokens: 0 } };
    expect((await org.decide("0", ask)).status).toBe(200);
    expect((await org.run(tokens(51))).status).toBe(429);
    expect((await org.run(tokens(50))).status).toBe(201);
    expect((await org.decide("0", ask)).status).toBe(429);
    await limit(org, { match: { route: "POST /v1/runs" } });
    expect((await org.decide("0", ask)).status).toBe(200);
    expect((await org.run(tokens(100))).status).toBe(201);
    expect((await org.run(tokens(1))).status).toBe(429);
    expect((await org.bulk([aRun(tokens(500))])).status).toBe(200);
  });

  test("always records a fact, and counts it", async () => {
    const org = await limited({});
    expect((await org.run(tokens(250, { incurred: true }))).status).toBe(201);
    expect(await used(org)).toBe(250);
    expect(seen(await org.run(tokens(1)))).toEqual([429, "quota_exhausted"]);
    expect((await org.run(tokens(0))).status).toBe(201);
  });

  test("does not count runs refused for other reasons, duplicates and replays", async () => {
    const org = await limited({});
    await org.send("PUT", "spend-cap", { cap_usd: "1" });
    expect((await org.run(tokens(30, { cost_usd: "2" }))).status).toBe(402);
    const mine = tokens(70, { id: "mine" });
    expect((await org.run(mine, { "idempotency-key": "k" })).status).toBe(201);
    expect((await org.run(mine, { "idempotency-key": "k" })).status).toBe(201);
    expect((await org.run(mine)).status).toBe(200);
    expect(seen(await org.run(tokens(71, { id: "mine" })))).toEqual([409, "conflict"]);
    expect(await used(org)).toBe(70);
    expect((await org.run(tokens(31))).status).toBe(429);
    expect((await org.run(mine)).status).toBe(200);
  });

  test("is exact for many runs at once", async () => {
    const org = await limited({});
    const answers = await Promise.all(Array.from({ length: 30 }, () => org.run(tokens(10))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
  });
});

describe("a call for more than a whole limit", () => {
  const words = /more than the whole limit of .* Waiting does not help/;

  test("by tokens in a sliding window says so on every path, in the isolate and the object", async () => {
    const org = await limited({ kind: "rate", window_seconds: 60 });
    await org.run(tokens(100));
    const ask = { estimate: { cost_usd: "0", input_tokens: 150, max_output_tokens: 0 } };
    const inBulk = [aRun(tokens(150))];
    const answers = [await org.run(tokens(150)), await org.bulk(inBulk), await org.decide("0", ask)];
    const decided = answers.at(-1)?.headers.get("x-svc-decided");
    const again = async () => {
      const answer = await org.decide("0", ask);
      answers.push(answer);
      return answer.headers.get("x-svc-decided");
    };
    expect(decided).toBe("object");
    await expect.poll(again).toBe("edge");
    for (const answer of answers) {
      expect(seen(answer)).toEqual([429, "rate_limited"]);
      expect(answer.body.error.message).toMatch(words);
      expect(answer.body.error.details).toEqual({ retry_after_seconds: 60, limit: 100, attempted: 150 });
      expect(answer.headers.get("retry-after")).toBe("60");
    }
    const dry = await org.decide("0", { ...ask, dry_run: true });
    expect(dry.body.would_deny).toMatchObject({ code: "rate_limited", details: { attempted: 150 } });
    // An amount within the limit waits, and is not told so.
    const wait = await org.run(tokens(90));
    expect(wait.body.error.message).not.toMatch(words);
    expect(Object.keys(wait.body.error.details)).toEqual(["retry_after_seconds"]);
  });

  test("by tokens in a fixed window says so", async () => {
    const org = await limited({});
    const refused = await org.run(tokens(150));
    expect(seen(refused)).toEqual([429, "quota_exhausted"]);
    expect(refused.body.error.message).toMatch(words);
    expect(refused.body.error.details).toMatchObject({ limit: 100, used: 0, attempted: 150 });
    await org.run(tokens(60));
    const later = await org.run(tokens(90));
    expect(later.body.error.message).not.toMatch(words);
    expect(later.body.error.details.attempted).toBe(undefined);
  });

  test("is every call under a limit of zero", async () => {
    const org = await limited({ kind: "rate", window_seconds: 60, unit: "requests", limit: 0 });
    const places = new Set<string | null>();
    const ask = async () => {
      for (const answer of [await org.decide("0"), await org.run()]) {
        expect(seen(answer)).toEqual([429, "rate_limited"]);
        expect(answer.body.error.message).toMatch(words);
        expect(answer.body.error.details).toEqual({ retry_after_seconds: 60, limit: 0, attempted: 1 });
        places.add(answer.headers.get("x-svc-decided"));
      }
      return places.has("edge");
    };
    await expect.poll(ask).toBe(true);
  });
});

describe("a rate-limit policy by customer", () => {
  test("counts each customer's runs separately, and ignores runs without a customer", async () => {
    const org = await limited({ match: { customer_id: "*" }, unit: "requests", limit: 2 });
    for (const customer_id of ["a", "b"]) {
      expect((await org.run({ customer_id })).status).toBe(201);
      expect((await org.decide("1", { customer_id })).status).toBe(200);
      expect(seen(await org.run({ customer_id }))).toEqual([429, "quota_exhausted"]);
    }
    for (let runs = 0; runs < 5; runs += 1) expect((await org.run()).status).toBe(201);
  });

  test("that names one customer does not affect others", async () => {
    const org = await limited({ match: { customer_id: "a" }, unit: "tokens", limit: 10 });
    expect((await org.run(tokens(11, { customer_id: "a" }))).status).toBe(429);
    expect((await org.run(tokens(11, { customer_id: "b" }))).status).toBe(201);
  });
});

describe("in a bulk call", () => {
  type Result = { status: string; error?: { code: string; details: Record<string, unknown> } };
  const resultsOf = ({ body }: Answer) =>
    (body.results as Result[]).map(({ status, error }) => error?.code ?? status);

  test("each run is counted separately, in order", async () => {
    const org = await limited({});
    await org.run(tokens(10, { id: "before" }));
    const answer = await org.bulk([
      aRun(tokens(60)),
      aRun(tokens(10, { id: "before" })),
      aRun(tokens(31)),
      aRun(tokens(5, { id: "twice" })),
      aRun(tokens(5, { id: "twice" })),
      aRun(tokens(40, { incurred: true })),
      aRun(tokens(0)),
      aRun(tokens(1)),
    ]);
    expect(answer.status).toBe(200);
    expect(resultsOf(answer)).toEqual([
      "accepted",
      "duplicate",
      "quota_exhausted",
      "accepted",
      "duplicate",
      "accepted",
      "accepted",
      "quota_exhausted",
    ]);
    expect(answer.body.results[2].error.details).toMatchObject({ policy_id: org.policyId, used: 70 });
    expect(answer.body.results[7].error.details).toMatchObject({ used: 115 });
    expect(await used(org)).toBe(115);
  });

  test("each customer has its own count", async () => {
    const org = await limited({ match: { customer_id: "*" }, unit: "requests", limit: 2, kind: "rate" });
    const answer = await org.bulk(["a", "b", "a", "a", "b"].map((customer_id) => aRun({ customer_id })));
    expect(resultsOf(answer)).toEqual(["accepted", "accepted", "accepted", "rate_limited", "accepted"]);
  });

  test("if it refuses every run, the response is its error, with the wait", async () => {
    const org = await limited({ kind: "rate", window_seconds: 60, limit: 5 });
    const refused = await org.bulk([aRun(tokens(6)), aRun(tokens(7))]);
    expect(seen(refused)).toEqual([429, "rate_limited"]);
    expect(refused.headers.get("retry-after")).toBe(String(refused.body.error.details.retry_after_seconds));
    expect((await org.bulk([aRun(tokens(5))])).body.accepted).toBe(1);
  });

  test("a batch that is repeated with its idempotency key counts once", async () => {
    const org = await limited({});
    const runs = [aRun(tokens(40)), aRun(tokens(20))];
    for (let sent = 0; sent < 3; sent += 1) {
      expect((await org.bulk(runs, { "idempotency-key": "b" })).body.accepted).toBe(2);
    }
    expect(await used(org)).toBe(60);
  });
});

describe("a policy that counts requests", () => {
  const policy = (route: string) => ({ match: { route }, unit: "requests", limit: 3 });

  test("does not count a refused run", async () => {
    const org = await limited(policy("POST /v1/runs"));
    await org.send("PUT", "spend-cap", { cap_usd: "1" });
    for (let runs = 0; runs < 5; runs += 1) expect((await org.run({ cost_usd: "2" })).status).toBe(402);
    await org.run({ id: "known", cost_usd: "0" });
    for (let runs = 0; runs < 5; runs += 1) {
      expect(seen(await org.run({ id: "known", cost_usd: "0.1" }))).toEqual([409, "conflict"]);
    }
    expect((await org.run({ cost_usd: "0" })).status).toBe(201);
    expect((await org.run({ cost_usd: "0" })).status).toBe(201);
    expect(seen(await org.run({ cost_usd: "0" }))).toEqual([429, "quota_exhausted"]);
  });

  test("does not count a batch that is refused as a whole, and counts any other as one request", async () => {
    const org = await limited(policy("POST /v1/runs/bulk"));
    await org.send("PUT", "spend-cap", { cap_usd: "1" });
    const dear = aRun({ cost_usd: "2" });
    for (let calls = 0; calls < 5; calls += 1) expect((await org.bulk([dear, dear])).status).toBe(402);
    const mixed = [dear, aRun({ cost_usd: "0" })];
    for (let calls = 0; calls < 3; calls += 1) expect((await org.bulk(mixed)).status).toBe(200);
    expect(seen(await org.bulk(mixed))).toEqual([429, "quota_exhausted"]);
  });

  test("counts a malformed call", async () => {
    const org = await limited(policy("POST /v1/runs"));
    for (let calls = 0; calls < 2; calls += 1) expect((await org.run({ model: 1 })).status).toBe(422);
    expect((await org.run()).status).toBe(201);
    expect((await org.run({ model: 1 })).status).toBe(429);
    const bulk = await limited(policy("POST /v1/runs/bulk"));
    for (let calls = 0; calls < 3; calls += 1) expect((await bulk.bulk([{}])).status).toBe(422);
    expect((await bulk.bulk([aRun()])).status).toBe(429);
  });

  test("does not count refused runs if an isolate has slices of it from other calls", async () => {
    const org = await newSpender();
    await org.send("PUT", "spend-cap", { cap_usd: "1" });
    const LIMIT = 640;
    await limit(org, { unit: "requests", limit: LIMIT, window_seconds: 86_400 }, 1_000_000);
    let served = 0;
    const read = async () => {
      if ((await org.send("GET", "plan")).status === 200) served += 1;
      return served;
    };
    const reads = (count: number) => Promise.all(Array.from({ length: count }, read));
    for (let round = 0; round < 8; round += 1) {
      await reads(30);
      // By now the isolate has slices.
      await scheduler.wait(300);
      const dear = Array.from({ length: 5 }, () => org.run({ cost_usd: "2" }));
      for (const answer of await Promise.all(dear)) expect(answer.status).toBe(402);
    }
    const nearlyAll = () => served >= LIMIT - 60;
    for (let round = 0; round < 40; round += 1) if (!nearlyAll()) await reads(30);
    await expect.poll(read, { interval: 5 }).toBe(LIMIT);
    expect((await org.send("GET", "plan")).status).toBe(429);
  });

  test("is exact when refused and admitted runs come together", async () => {
    const org = await limited(policy("POST /v1/runs"));
    await org.send("PUT", "spend-cap", { cap_usd: "1" });
    const dear = Array.from({ length: 10 }, () => org.run({ cost_usd: "2" }));
    const free = Array.from({ length: 10 }, () => org.run({ cost_usd: "0" }));
    const admitted = (await Promise.all([...dear, ...free])).filter(({ status }) => status === 201).length;
    expect(admitted).toBeLessThanOrEqual(3);
    for (let runs = admitted; runs < 3; runs += 1) {
      await expect.poll(async () => (await org.run({ cost_usd: "0" })).status).toBe(201);
    }
    expect((await org.run({ cost_usd: "0" })).status).toBe(429);
  });
});

const most40 = fc.integer({ min: 0, max: 40 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("decide"), amount: most40 }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("run"), amount: most40 }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("bulk"), amount: most40, count: fc.integer({ min: 1, max: 5 }) }),
  },
  // A test org's clock can be moved within two seconds.
  { weight: 1, arbitrary: fc.record({ do: fc.constant("advance"), amount: fc.integer({ min: 1, max: 9 }) }) },
);

test("no window admits more tokens than the limit, for decisions and runs together", async () => {
  const WINDOW_MS = 10_000;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
      const org = await limited({ kind: "rate", window_seconds: WINDOW_MS / 1000 });
      const admitted: { from: number; to: number; amount: number }[] = [];
      let ahead = 0;
      for (const one of steps) {
        if (one.do === "advance") {
          await org.advance(one.amount);
          ahead += one.amount * 1000;
          continue;
        }
        const from = Date.now() + ahead;
        const admittedTokens = await admit(org, one);
        admitted.push({ from, to: Date.now() + ahead, amount: admittedTokens });
      }
      for (const [index, first] of admitted.entries()) {
        const inside = admitted.slice(index).filter(({ to }) => to < first.from + WINDOW_MS);
        expect(inside.reduce((sum, { amount }) => sum + amount, 0)).toBeLessThanOrEqual(100);
      }
    }),
    { numRuns: 4 },
  );
});

/** How many tokens of a step were admitted. */
async function admit(org: Spender, one: { do: string; amount: number; count?: number }): Promise<number> {
  if (one.do === "decide") {
    const estimate = { cost_usd: "0", input_tokens: one.amount, max_output_tokens: 0 };
    return (await org.decide("0", { estimate })).status === 200 ? one.amount : 0;
  }
  if (one.do === "run") return (await org.run(tokens(one.amount))).status === 201 ? one.amount : 0;
  const answer = await org.bulk(Array.from({ length: one.count ?? 1 }, () => aRun(tokens(one.amount))));
  return answer.status === 200 ? one.amount * (answer.body.accepted as number) : 0;
}
