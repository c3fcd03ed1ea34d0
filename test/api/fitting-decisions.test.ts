import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newSpender, type Spender } from "../support/ledger.ts";
import { lengthenLives } from "../support/lives.ts";
import { type Answer, call, operatorKey } from "../support/worker.ts";
import { gateOf } from "../support/worker-gate.ts";

/** A dollar for a million input tokens, and ten for output: one and ten thousand nano-dollars for each. */
const MODEL = { input_usd_per_mtok: "1", output_usd_per_mtok: "10" };

async function priced(model: object = MODEL): Promise<Spender> {
  const org = await newSpender();
  expect((await org.send("PUT", "models/m", model)).status).toBe(200);
  return org;
}

const fit = (least: number, most: number, input = 0) => ({
  estimate: { input_tokens: input, max_output_tokens: most, min_output_tokens: least },
});

const ask = (org: Spender, fields: object): Promise<Answer> =>
  call("POST", "/v1/edge/decision", { key: org.key, body: { model: "m", ...fields } });

async function budget(org: Spender, more: object): Promise<string> {
  const body = { scope_kind: "org", period: "day", mode: "enforce", ...more };
  const made = await org.send("POST", "budgets", body);
  expect(made.status).toBe(201);
  return made.body.id;
}

const limitRate = async (org: Spender, policy: object) => {
  const whole = {
    name: "p",
    match: {},
    unit: "tokens",
    limit: 700,
    window_seconds: 2_592_000,
    kind: "quota",
  };
  const body = { read_rpm: null, policies: [{ ...whole, ...policy }] };
  expect((await org.operate("PUT", "/v1/admin/orgs/{org}/rate-limits", body)).status).toBe(200);
};

const given = ({ status, body }: Answer) => [status, body.reservation?.max_output_tokens];
const code = ({ status, body }: Answer) => [status, body.error?.code];

describe("a decision with min_output_tokens", () => {
  test("reserves as many output tokens as the tightest limit has room for, and no more than the most", async () => {
    const org = await priced();
    const id = await budget(org, { limit_usd: "0.01" });
    const first = await ask(org, fit(256, 600, 1000));
    expect(given(first)).toEqual([200, 600]);
    expect(first.body.reservation.amount_usd).toBe("0.007");
    const second = await ask(org, fit(100, 600, 1000));
    expect(given(second)).toEqual([200, 200]);
    expect(second.body.reservation.amount_usd).toBe("0.003");
    expect((await org.send("GET", `budgets/${id}`)).body.available_usd).toBe("0.00");
    expect(code(await ask(org, fit(1, 600)))).toEqual([402, "budget_exceeded"]);
  });

  test("is refused if there is no room for the least, and takes nothing then", async () => {
    const org = await priced();
    const id = await budget(org, { limit_usd: "0.00255" });
    expect(code(await ask(org, fit(256, 4096)))).toEqual([402, "budget_exceeded"]);
    expect((await org.send("GET", `budgets/${id}`)).body.reserved_usd).toBe("0.00");
    const { body } = await org.send("GET", "refusals");
    expect(body.data[0]).toMatchObject({ code: "budget_exceeded", amount_usd: "0.00256" });
    expect(given(await ask(org, fit(255, 4096)))).toEqual([200, 255]);
  });

  test("changes nothing for a decision without it", async () => {
    const org = await priced();
    await budget(org, { limit_usd: "0.01" });
    const plain = await ask(org, { estimate: { max_output_tokens: 500 } });
    expect(plain.body.reservation).toEqual({
      id: expect.any(String),
      amount_usd: "0.005",
      expires_at: expect.any(String),
    });
    expect(code(await ask(org, { estimate: { max_output_tokens: 501 } }))).toEqual([402, "budget_exceeded"]);
  });

  test("reserves the units first, and fits the output into what they leave", async () => {
    const org = await priced({ ...MODEL, units: { web_search: "0.004" } });
    await budget(org, { limit_usd: "0.01" });
    const { estimate } = fit(100, 600, 1000);
    const searching = { estimate: { ...estimate, units: { web_search: 1 } } };
    const allowed = await ask(org, searching);
    expect([...given(allowed), allowed.body.reservation.amount_usd]).toEqual([200, 500, "0.01"]);
    expect(code(await ask(org, { estimate: { units: { web_search: 1 } } }))).toEqual([
      402,
      "budget_exceeded",
    ]);
  });

  test("with nothing but the least is for at most 4096 tokens", async () => {
    const org = await priced();
    expect(given(await ask(org, { estimate: { min_output_tokens: 5 } }))).toEqual([200, 4096]);
    await budget(org, { unit: "tokens", limit: "50" });
    expect(given(await ask(org, { estimate: { min_output_tokens: 5 } }))).toEqual([200, 50]);
  });

  test.each([
    ["a budget of tokens", (org: Spender) => budget(org, { unit: "tokens", limit: "700" })],
    ["a rate limit of tokens in fixed windows", (org: Spender) => limitRate(org, {})],
    ["a sliding rate limit of tokens", (org: Spender) => limitRate(org, { kind: "rate" })],
    ["a rate limit of tokens for each user", (org: Spender) => limitRate(org, { match: { user_id: "*" } })],
  ])("fits into %s, with its input", async (_name, limit) => {
    const org = await priced();
    await limit(org);
    const user_id = "u";
    expect(given(await ask(org, { ...fit(100, 400, 100), user_id }))).toEqual([200, 400]);
    expect(given(await ask(org, { ...fit(100, 400, 99), user_id }))).toEqual([200, 101]);
    expect((await ask(org, { ...fit(1, 400), user_id })).status).toBeGreaterThanOrEqual(402);
  });

  test("fits into the plan, the chain and the credits, if it is checked against everything", async () => {
    const org = await priced();
    const plan = `fits-${org.id.toLowerCase().replaceAll("_", "-")}`;
    const put = async (path: string, body: object) =>
      expect((await call("PUT", path, { key: operatorKey(), body })).status).toBe(200);
    await put(`/v1/admin/plans/${plan}`, { runs_limit: null, tokens_limit: 3000, overage_policy: "block" });
    const moved = await call("PATCH", `/v1/admin/orgs/${org.id}`, { key: operatorKey(), body: { plan } });
    expect(moved.status).toBe(200);
    await org.send("PUT", "chain-budget", { max_tokens: 1000, max_cost_usd: "1" });
    await org.send("POST", "credit-packs", { customer_id: "c", amount_usd: "0.015" });
    const whole = { checks: "all" };
    const x = { chain: { chain_id: "x" } };
    expect(given(await ask(org, { ...whole, ...x, ...fit(1, 9000) }))).toEqual([200, 1000]);
    expect(code(await ask(org, { ...whole, ...x, ...fit(1, 9000) }))).toEqual([429, "chain_budget_exceeded"]);
    const c = { customer_id: "c" };
    expect(given(await ask(org, { ...whole, ...c, ...fit(1, 9000) }))).toEqual([200, 1500]);
    expect(given(await ask(org, { ...whole, ...fit(1, 9000) }))).toEqual([200, 500]);
    expect(code(await ask(org, { ...whole, ...fit(1, 9000) }))).toEqual([402, "plan_limit_exceeded"]);
  });

  test("of the same request gets the same answer, however much fits by then", async () => {
    const org = await priced();
    const id = await budget(org, { limit_usd: "0.01" });
    const named = { ...fit(100, 4000), request_id: "r" };
    const first = await ask(org, named);
    expect(given(first)).toEqual([200, 1000]);
    await org.send("PATCH", `budgets/${id}`, { limit_usd: "5" });
    expect((await ask(org, named)).body).toEqual(first.body);
    expect(code(await ask(org, { ...fit(101, 4000), request_id: "r" }))).toEqual([409, "conflict"]);
    await org.release(first.body.reservation.id);
    expect(given(await ask(org, named))).toEqual([200, 4000]);
  });

  test("is tried without holding anything, explained, and asked for among others", async () => {
    const org = await priced();
    await budget(org, { limit_usd: "0.01" });
    const dry = (least: number) => ask(org, { ...fit(least, 9000), dry_run: true });
    const allowed = { decision: "allow", reservation: null, would_deny: null, max_output_tokens: 1000 };
    expect((await dry(1)).body).toMatchObject(allowed);
    expect((await dry(1000)).body).toMatchObject(allowed);
    const denied = (await dry(1001)).body;
    expect(denied).toMatchObject({ decision: "deny", would_deny: { code: "budget_exceeded" } });
    expect(denied).not.toHaveProperty("max_output_tokens");
    const fixed = { estimate: { max_output_tokens: 900 }, dry_run: true };
    expect((await ask(org, fixed)).body).not.toHaveProperty("max_output_tokens");
    const explain = async (least: number) =>
      (await org.send("POST", "explain", { ask: { model: "m", ...fit(least, 9000) } })).body;
    expect(await explain(1000)).toMatchObject({ outcome: "allowed", amount_usd: "0.01" });
    expect(await explain(1001)).toMatchObject({ outcome: "refused", amount_usd: "0.01001" });
    const asks = [fit(1, 600), fit(1, 600), fit(1, 600)].map((one) => ({ model: "m", ...one }));
    const { body } = await call("POST", "/v1/edge/decisions", { key: org.key, body: { asks } });
    const bounds = body.results.map(
      (one: Answer["body"]) => one.reservation?.max_output_tokens ?? one.error.code,
    );
    expect(bounds).toEqual([600, 400, "budget_exceeded"]);
  });

  test("is renewed and settled like any other, and becomes a run of what fitted", async () => {
    const org = await priced();
    const id = await budget(org, { limit_usd: "0.01" });
    const made = await ask(org, { ...fit(1, 9000), on_expiry: "charge", hold_seconds: 30 });
    expect(given(made)).toEqual([200, 1000]);
    const path = `/v1/edge/decision/${made.body.reservation.id}/renew`;
    const renewed = await call("POST", path, { key: org.key, body: { hold_seconds: 60 } });
    expect(renewed.body.reservation.amount_usd).toBe("0.01");
    await org.advance(61);
    const { body } = await call("GET", "/v1/runs", { key: org.key });
    expect(body.data[0]).toMatchObject({ cost_usd: "0.01", usage: { output_tokens: 1000 }, estimated: true });
    expect((await org.send("GET", `budgets/${id}`)).body).toMatchObject({ spent_usd: "0.01" });
  });

  test("is not shortened by reservations that are over", async () => {
    const org = await priced();
    await budget(org, { limit_usd: "0.01" });
    expect((await ask(org, { ...fit(1, 900), hold_seconds: 30 })).status).toBe(200);
    expect(given(await ask(org, fit(1, 900)))).toEqual([200, 100]);
    await org.advance(31);
    expect(given(await ask(org, fit(1, 9000)))).toEqual([200, 900]);
  });

  test("is shown to rules as it was asked for, so that an approval fits whatever is left", async () => {
    const org = await priced();
    await budget(org, { limit_usd: "0.01" });
    const rule = {
      target: "model",
      effect: "require_approval",
      when: "estimate.max_output_tokens > 5000",
      reason: "long",
      priority: 1,
      mode: "enforce",
    };
    expect((await org.send("POST", "policy-rules", rule)).status).toBe(201);
    const asked = { checks: "all", ...fit(1, 9000) };
    const refused = await ask(org, asked);
    expect(code(refused)).toEqual([403, "policy_approval_required"]);
    expect((await ask(org, { checks: "all", estimate: { max_output_tokens: 300 } })).status).toBe(200);
    const approval = refused.body.error.details.approval_id;
    expect((await org.send("POST", `approvals/${approval}/approve`, {})).status).toBe(200);
    expect(given(await ask(org, asked))).toEqual([200, 700]);
  });

  test.each([
    ["a least above the most", fit(11, 10), "out_of_range"],
    ["a least above the default", { estimate: { min_output_tokens: 4097 } }, "out_of_range"],
    ["an amount", { estimate: { cost_usd: "1", min_output_tokens: 1 } }, "invalid_value"],
    ["no tokens", fit(0, 10), "out_of_range"],
    ["less than none", fit(-1, 10), "out_of_range"],
    ["half a token", fit(1.5, 10), "invalid_type"],
  ])("is refused with %s, in the field that is wrong", async (_name, body, problem) => {
    const org = await priced();
    const answer = await ask(org, body);
    expect(answer.status).toBe(422);
    expect(answer.body.error.details.fields).toMatchObject([
      { field: "estimate.min_output_tokens", code: problem },
    ]);
  });

  test("never passes a limit, and always reserves what fits exactly", async () => {
    const amount = fc.integer({ min: 1, max: 3000 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ least: amount, more: amount, input: fc.nat(500) }), {
          minLength: 3,
          maxLength: 8,
        }),
        fc.record({ micros: fc.integer({ min: 1, max: 40_000 }), tokens: fc.integer({ min: 1, max: 9000 }) }),
        async (asks, limit) => {
          const org = await priced({ input_usd_per_mtok: "0.37", output_usd_per_mtok: "7.777777" });
          await budget(org, { limit_usd: (limit.micros / 1e6).toFixed(6) });
          await limitRate(org, { limit: limit.tokens });
          const left = { nanos: BigInt(limit.micros) * 1000n, tokens: limit.tokens };
          for (const { least, more, input } of asks) {
            const costOf = (output: number) =>
              (BigInt(input) * 370_000_000n + BigInt(output) * 7_777_777_000n + 999_999n) / 1_000_000n;
            const fits = (output: number) => costOf(output) <= left.nanos && input + output <= left.tokens;
            const answer = await ask(org, fit(least, least + more, input));
            if (!fits(least)) {
              expect(answer.status).toBeGreaterThanOrEqual(402);
              continue;
            }
            const [status, output] = given(answer);
            expect(status).toBe(200);
            expect(fits(output)).toBe(true);
            if (output < least + more) expect(fits(output + 1)).toBe(false);
            left.nanos -= costOf(output);
            left.tokens -= input + output;
          }
        },
      ),
      { numRuns: 10 },
    );
  });

  test("is decided in the isolate while there is room, and by the object at the end, exactly", async () => {
    const org = await priced();
    const id = await budget(org, { limit_usd: "6" });
    lengthenLives();
    const places = { edge: 0, object: 0 };
    let tokens = 0;
    let last: Answer | null = null;
    for (let at = 0; at < 1000; at += 1) {
      last = await ask(org, fit(256, 1000));
      if (last.status !== 200) break;
      places[last.headers.get("x-svc-decided") as keyof typeof places] += 1;
      tokens += last.body.reservation.max_output_tokens;
      if (last.headers.get("x-svc-decided") === "edge") expect(given(last)).toEqual([200, 1000]);
    }
    expect(code(last as Answer)).toEqual([402, "budget_exceeded"]);
    expect(places.edge).toBeGreaterThan(150);
    expect(tokens).toBeLessThanOrEqual(600_000);
    await expect
      .poll(async () => Number((await org.send("GET", `budgets/${id}`)).body.reserved_usd))
      .toBe(tokens / 100_000);
  });
});

test("a gate in the caller's process hears the bound, from its slice and from the service", async () => {
  const org = await priced();
  await budget(org, { limit_usd: "4.005" });
  lengthenLives();
  const gate = gateOf(org.key);
  const bounds: number[] = [];
  for (let at = 0; at < 500; at += 1) {
    try {
      const { reservation } = await gate.decide({ model: "m", ...fit(256, 1000) });
      bounds.push(reservation?.max_output_tokens ?? 0);
    } catch {
      break;
    }
  }
  expect(gate.stats.allowedHere).toBeGreaterThan(50);
  expect(Math.max(...bounds)).toBe(1000);
  expect(Math.min(...bounds)).toBeGreaterThanOrEqual(256);
  expect(bounds.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(400_500);
  await gate.close();
  expect(gate.stats.holdsRefused).toBe(0);
});
