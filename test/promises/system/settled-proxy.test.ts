import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { governed } from "../../support/governed.ts";
import { body, CHAT, fine, providerThat, proxyBefore, streaming } from "../../support/hostile-provider.ts";

/** What the proxy records of calls, whatever their callers and providers do. */

describe("every call is settled", () => {
  test("also if its caller does not wait for its answer, by the usage at its end", async () => {
    const org = await governed();
    const { url } = await providerThat((_, response) => {
      response.write(fine.slice(0, 20));
      setTimeout(() => response.end(fine.slice(20)), 300);
    });
    const stop = new AbortController();
    const answer = await proxyBefore(url)(CHAT, { key: org.key, body, signal: stop.signal });
    await answer.body?.getReader().read();
    stop.abort();
    const [run] = await org.runs(1);
    expect(run).toMatchObject({ usage: { input_tokens: 5, output_tokens: 7 }, estimated: false });
  });

  test.each([
    ["of a length that it says", { "content-length": String(fine.length) }],
    ["in chunks", {}],
  ])("by the usage in an answer %s, which the caller gets byte for byte", async (_, headers) => {
    const org = await governed();
    const { url } = await providerThat((__, response) => {
      response.writeHead(200, { "content-type": "application/json", ...headers });
      response.write(fine.slice(0, 20), () => response.end(fine.slice(20)));
    });
    const answer = await proxyBefore(url)(CHAT, { key: org.key, body });
    expect([await answer.text(), answer.headers.get("x-sluice-run-id")]).toEqual([fine, expect.any(String)]);
    expect((await org.runs(1))[0]).toMatchObject({ usage: { input_tokens: 5, output_tokens: 7 } });
  });

  test("at what was reserved, if its provider breaks off an answer whose length it said, and the caller gets 502", async () => {
    const org = await governed();
    const { url } = await providerThat((_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
      response.write('{"usage":', () => response.destroy());
    });
    const answer = await proxyBefore(url)(CHAT, { key: org.key, body });
    expect([answer.status, await answer.json()]).toEqual([
      502,
      { error: expect.objectContaining({ code: "bad_gateway" }) },
    ]);
    expect((await org.runs(1))[0]).toMatchObject({
      outcome: "failed",
      estimated: true,
      cost_source: "caller",
    });
  });

  test("also if its provider answers garbage, or breaks off: at what was reserved", async () => {
    const org = await governed();
    const { url } = await providerThat(({ headers }, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      if ("x-garbage" in headers) response.end("<html>");
      else response.write('{"usage":', () => response.destroy());
    });
    const proxy = proxyBefore(url);
    await (await proxy(CHAT, { key: org.key, body, headers: { "x-garbage": "yes" } })).text();
    await (await proxy(CHAT, { key: org.key, body })).text().catch(() => "");
    for (const run of await org.runs(2)) {
      expect(run).toMatchObject({ estimated: true, cost_source: "caller" });
      expect(Number(run["cost_usd"])).toBeGreaterThan(0.0006);
    }
  });

  test.each([
    ["never answers", { longestSilenceMs: 300 }],
    ["falls silent", { longestSilenceMs: 300 }],
    ["never ends", { longestAnswerMs: 600 }],
  ])("also if its provider %s", async (how, options) => {
    const org = await governed();
    const { url } = await providerThat((_, response) => {
      if (how === "never answers") return;
      response.writeHead(200, { "content-type": "text/event-stream" });
      const event = `data: ${JSON.stringify({ choices: [{ delta: { content: "go" } }] })}\n\n`;
      response.write(event);
      if (how !== "never ends") return;
      const timer = setInterval(() => response.write(event), 20);
      response.once("close", () => clearInterval(timer));
    });
    const answer = await proxyBefore(url, options)(CHAT, { key: org.key, body: streaming });
    if (how === "never answers") expect(answer.status).toBe(502);
    else await expect(answer.text()).rejects.toThrow();
    const [run] = await org.runs(1);
    expect(run).toMatchObject({ outcome: how === "never answers" ? "unknown" : "failed" });
    expect(run?.["usage"].output_tokens).toBeGreaterThanOrEqual(how === "never answers" ? 0 : 1);
    expect(Number(run?.["cost_usd"])).toBeGreaterThan(0);
  });

  test("each by itself, where a caller repeats its request id", async () => {
    const org = await governed();
    const { url, got } = await providerThat((_, response) => response.end(fine));
    const callerSets = ["request_id"] as const;
    const headers = { "x-sluice-request-id": "again" };
    const [here, there] = [proxyBefore(url, { callerSets }), proxyBefore(url, { callerSets })];
    for (const proxy of [here, here, there])
      await (await proxy(CHAT, { key: org.key, body, headers })).text();
    expect(got).toHaveLength(3);
    const runs = await org.runs(3);
    expect(runs.map((run) => run["usage"].output_tokens)).toEqual([7, 7, 7]);
  });

  test("by a reservation of its own, also where another isolate has had its request id", async () => {
    const org = await governed("1");
    const waiting: ServerResponse[] = [];
    const { url, got } = await providerThat((_, response) => void waiting.push(response));
    const callerSets = ["request_id", "estimate_usd"] as const;
    const headers = { "x-sluice-request-id": "again", "x-sluice-estimate-usd": "0.6" };
    const [here, there] = [proxyBefore(url, { callerSets }), proxyBefore(url, { callerSets })];
    const first = here(CHAT, { key: org.key, body, headers });
    await expect.poll(() => waiting.length).toBe(1);
    for (const proxy of [here, there]) {
      const refused = await proxy(CHAT, { key: org.key, body, headers });
      expect([refused.status, await refused.json()]).toMatchObject([
        402,
        { error: { code: "budget_exceeded" } },
      ]);
    }
    waiting[0]?.end(fine);
    expect(await (await first).text()).toBe(fine);
    await org.runs(1);
    expect(got).toHaveLength(1);
    const long = { ...headers, "x-sluice-request-id": "x".repeat(129) };
    expect((await here(CHAT, { key: org.key, body, headers: long })).status).toBe(422);
  });

  test("at its estimate, where there is no price for its model", async () => {
    const org = await governed();
    const { url, got } = await providerThat((_, response) => response.end(fine));
    const unpriced = JSON.stringify({ ...JSON.parse(body), model: "house-model" });
    const refused = await proxyBefore(url)(CHAT, { key: org.key, body: unpriced });
    expect(refused.status).toBe(422);
    expect(got).toHaveLength(0);
    const proxy = proxyBefore(url, { callerSets: ["estimate_usd"] });
    const headers = { "x-sluice-estimate-usd": "0.05" };
    await (await proxy(CHAT, { key: org.key, body: unpriced, headers })).text();
    const [run] = await org.runs(1);
    expect(run).toMatchObject({ model: "house-model", cost_usd: "0.05", usage: { output_tokens: 7 } });
    await expect.poll(org.reserved).toBe("0.00");
  });

  test("at their price, where calls are allowed that are not metered; what is free leaves no run", async () => {
    const org = await governed();
    const { url, got } = await providerThat((_, response) => response.end("{}"));
    const proxy = proxyBefore(url, { otherPaths: { "POST /v1/batches": "0.04" } });
    await (await proxy("/openai/v1/models", { key: org.key })).text();
    await (await proxy("/openai/v1/batches", { key: org.key, body: "{}" })).text();
    const runs = await org.runs(1);
    expect(runs).toHaveLength(1);
    expect(runs[0]).toMatchObject({ provider: "openai", cost_usd: "0.04", estimated: true });
    expect(got).toHaveLength(2);
    await expect.poll(org.reserved).toBe("0.00");
  });
});
