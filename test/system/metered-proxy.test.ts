import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Governed, governed } from "../support/governed.ts";
import { CHAT, providerThat, proxyBefore } from "../support/hostile-provider.ts";
import { call, newOrg } from "../support/server.ts";

/** Every call through the proxy is metered, whatever its caller and its provider try. */

const ask = (more: object = {}) =>
  JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }], ...more });

/** A provider that answers with a usage, and the bodies that it got. */
async function bodiesTo(usageOf: (body: Record<string, unknown>) => object) {
  const bodies: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (part: string) => (text += part));
    request.once("end", () => {
      const body = JSON.parse(text) as Record<string, unknown>;
      bodies.push(body);
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ id: "x", choices: [], usage: usageOf(body) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

const spentOf = async ({ key, org }: Governed) =>
  (await call("GET", `/v1/orgs/${org}/budgets`, { key })).body.data[0].spent_usd as string;

test("a priced path passes at its price, until the budget is spent", async () => {
  const org = await governed("0.05");
  const { url, got } = await providerThat((_, response) => response.end("{}"));
  const proxy = proxyBefore(url, { otherPaths: { "POST /v1/batches": "0.02" } });
  const statuses: number[] = [];
  for (let time = 0; time < 4; time += 1) {
    const answer = await proxy("/openai/v1/batches", { key: org.key, body: "{}" });
    await answer.text();
    statuses.push(answer.status);
  }
  expect([statuses, got.length]).toEqual([[200, 200, 402, 402], 2]);
});

describe("a call without a bound", () => {
  test("never costs more than its budget has, however much the provider writes", async () => {
    const org = await governed("0.005");
    const { url, bodies } = await bodiesTo(({ max_completion_tokens: most, n }) => ({
      prompt_tokens: 5,
      completion_tokens: Number(most) * Number(n ?? 1),
    }));
    const proxy = proxyBefore(url);
    for (const more of [{ n: 3 }, {}, {}])
      await (await proxy(CHAT, { key: org.key, body: ask(more) })).text();
    await expect.poll(org.reserved).toBe("0.00");
    expect(Number(await spentOf(org))).toBeLessThanOrEqual(0.005);
    expect(bodies.length).toBeGreaterThan(0);
    expect(Number(bodies[0]?.["max_completion_tokens"])).toBeLessThan(16_384);
  });
});

describe("a usage above what the call was allowed", () => {
  test("is cut at a host of the operator's own, and keeps its classes", async () => {
    const org = await governed("5000");
    const prompt_tokens_details = { cached_tokens: 5e11 };
    const { url } = await bodiesTo(() => ({
      prompt_tokens: 1e12,
      completion_tokens: 1e12,
      prompt_tokens_details,
    }));
    const proxy = proxyBefore(url, { providers: { lab: { url, prices: "openai" } } });
    await (await proxy("/lab/v1/chat/completions", { key: org.key, body: ask({ max_tokens: 100 }) })).text();
    const [run] = await org.runs(1);
    // The context of the largest model: nothing is known of those of this host.
    const usage = { input_tokens: 2_097_152, output_tokens: 100, cache_read_tokens: 1_048_576 };
    expect(run).toMatchObject({ estimated: true, usage });
  });

  test("is charged in full at the provider itself, by its price tier, and what passes a limit is over", async () => {
    const org = await governed("1");
    const { url } = await bodiesTo(() => ({ prompt_tokens: 2_400_000, completion_tokens: 500 }));
    const body = ask({ model: "gpt-5.4", max_completion_tokens: 100 });
    await (await proxyBefore(url)(CHAT, { key: org.key, body })).text();
    const [run] = await org.runs(1);
    expect(run).toMatchObject({ estimated: false, usage: { input_tokens: 2_400_000, output_tokens: 500 } });
    // Above 272,000 tokens of input: $5 for a million of them, and $22.50 for those of the output.
    expect(Number(run?.["cost_usd"])).toBeCloseTo(12.01125, 9);
    expect(run?.["charges"]).toContainEqual(
      expect.objectContaining({ kind: "budget", amount_usd: "12.01125", over_usd: "11.01125" }),
    );
  });
});

describe("input that the body does not show", () => {
  test("is reserved at the model's context, or refused; work in the background is refused", async () => {
    const { key } = await governed("0.01");
    const { url, got } = await providerThat((_, response) => response.end("{}"));
    const body = JSON.stringify({
      model: "gpt-4o-mini",
      input: "hi",
      max_output_tokens: 10,
      previous_response_id: "resp_1",
    });
    const path = "/openai/v1/responses";
    expect((await proxyBefore(url)(path, { key, body })).status).toBe(402);
    expect((await proxyBefore(url, { unseenInput: "refuse" })(path, { key, body })).status).toBe(403);
    const background = JSON.stringify({ model: "gpt-4o-mini", input: "hi", background: true });
    expect((await proxyBefore(url)(path, { key, body: background })).status).toBe(403);
    expect(got).toHaveLength(0);
  });
});

describe("whoever calls", () => {
  test("is served only if the proxy is for its org, or for its key", async () => {
    const [ours, theirs] = [await governed(), await governed()];
    const { url, got } = await providerThat((_, response) => response.end("{}"));
    const proxy = proxyBefore(url, { orgs: [ours.org] });
    const refused = await proxy(CHAT, { key: theirs.key, body: ask() });
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("PROXY_ORGS")]);
    expect(got).toHaveLength(0);
    expect((await proxy("/openai/v1/models", { key: ours.key })).status).toBe(200);
  });

  test("pays with a key that may only decide", async () => {
    const { id, ownerKey } = await newOrg();
    const minted = { name: "proxy", role: "developer", scopes: ["decisions:evaluate"] };
    const { body: made } = await call("POST", `/v1/orgs/${id}/keys`, { key: ownerKey, body: minted });
    const { url } = await bodiesTo(() => ({ prompt_tokens: 5, completion_tokens: 7 }));
    await (await proxyBefore(url)(CHAT, { key: made.key, body: ask() })).text();
    const runs = () => call("GET", "/v1/runs", { key: ownerKey }).then(({ body }) => body.data as object[]);
    await expect.poll(async () => (await runs()).length).toBe(1);
    expect(await runs()).toMatchObject([{ usage: { input_tokens: 5, output_tokens: 7 }, estimated: false }]);
  });

  test("does not choose whose limit it uses, where a limit counts by it", async () => {
    const { org, key } = await governed();
    const { url, got } = await providerThat((_, response) => response.end("{}"));
    const headers = { "x-sluice-user-id": "u1" };
    const send = () => proxyBefore(url)("/openai/v1/models", { key, headers });
    expect((await send()).status).toBe(200);
    const budget = { match: {}, group_by: ["user_id"], limit_usd: "1", period: "month" };
    expect((await call("POST", `/v1/orgs/${org}/budgets`, { key, body: budget })).status).toBe(201);
    const refused = await send();
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining("counts by user_id"),
    ]);
    expect(got).toHaveLength(1);
  });

  test("is read by the org's content rules", async () => {
    const { org, key } = await governed();
    const { url, got } = await providerThat((_, response) => response.end("{}"));
    const detectors = [{ id: "email", kind: "builtin", action: "block" }];
    expect((await call("PUT", `/v1/orgs/${org}/content-safety`, { key, body: { detectors } })).status).toBe(
      200,
    );
    const body = { decision_defaults: { checks: "all" } };
    expect((await call("PATCH", `/v1/orgs/${org}`, { key, body })).status).toBe(200);
    const text = JSON.stringify({
      model: "gpt-4o-mini",
      messages: [{ role: "user", content: "mail a@b.example" }],
    });
    const proxy = proxyBefore(url);
    for (let time = 0; time < 2; time += 1) {
      const answer = await proxy(CHAT, { key, body: text });
      expect([answer.status, await answer.json()]).toMatchObject([
        403,
        { error: { code: "content_safety_blocked" } },
      ]);
    }
    expect(got).toHaveLength(0);
    expect((await proxy(CHAT, { key, body: ask() })).status).toBe(200);
  });
});
