import { describe, expect, test } from "vitest";
import type { ProxyLine, UnsettledLine } from "../../../src/proxy/index.ts";
import { governed, PROVIDER_KEY, startProvider } from "../../support/governed.ts";
import { body, CHAT, fine, providerThat, proxyBefore, streaming } from "../../support/hostile-provider.ts";

/** What the proxy does with callers and providers that mean no good, or that do not behave. */

describe("what a provider gets", () => {
  test("is the proxy's key, and nothing that is the caller's own or of its connection", async () => {
    const { key } = await governed();
    const { url, got } = await providerThat((_, response) => response.end(fine));
    const headers = {
      cookie: "session=1",
      "openai-organization": "org-of-another",
      "x-forwarded-for": "10.0.0.1",
      "x-sluice-user-id": "u1",
      "x-hop": "1",
      connection: "x-hop",
      te: "trailers",
      "x-http-method-override": "DELETE",
      "x-original-url": "/v1/files",
      "proxy-authorization": "Basic x",
      "x-custom": "kept",
    };
    await (await proxyBefore(url)(CHAT, { key, body, headers })).text();
    const sent = JSON.stringify(got[0]?.headers);
    expect(got[0]?.headers).toMatchObject({ authorization: `Bearer ${PROVIDER_KEY}`, "x-custom": "kept" });
    const ours = Object.keys(got[0]?.headers ?? {}).filter((name) => name.startsWith("x-sluice"));
    expect(ours).toEqual(["x-sluice-proxied"]);
    for (const text of [
      key,
      "session=1",
      "org-of-another",
      "10.0.0.1",
      "x-sluice-user-id",
      "x-hop",
      "trailers",
      "DELETE",
      "/v1/files",
      "Basic",
    ]) {
      expect(sent).not.toContain(text);
    }
  });

  test.each([
    ["OpenAI", CHAT, "x-api-key"],
    ["Anthropic", "/anthropic/v1/messages", "authorization"],
    ["Anthropic", "/anthropic/v1/messages", "x-api-key"],
  ])("is not the caller's key, for %s at %s in %s", async (_, path, name) => {
    const { key } = await governed();
    const { url, got } = await providerThat((__, response) => response.end(fine));
    const headers = { [name]: name === "authorization" ? `Bearer ${key}` : key };
    expect((await proxyBefore(url)(path, { body, headers })).status).toBe(200);
    expect(JSON.stringify(got[0]?.headers)).toContain(PROVIDER_KEY);
    expect(JSON.stringify(got[0]?.headers)).not.toContain(key);
  });

  test.each([
    ["out of the prefix", "/openai/../admin", 404],
    ["out of the prefix, encoded", "/openai/v1/%2e%2e/%2e%2e/admin", 404],
    ["to another host", "/openai//evil.test/v1/chat/completions", 400],
    ["with a backslash", "/openai/v1/%5c%5cevil.test", 400],
    ["with an encoded slash", "/openai/v1%2fchat%2fcompletions", 400],
    ["encoded twice", "/openai/v1/chat/%2563ompletions", 400],
    ["with a slash at the end, past its price", "/openai/v1/chat/completions/", 400],
    ["with a parameter in the path", "/openai/v1/chat/completions;x=1", 400],
    ["with a null", "/openai/v1/chat/completions%00", 400],
    ["of no provider", "/v1/chat/completions", 404],
    ["in another case", "/openai/v1/Chat/Completions", 403],
    ["in percent signs", "/openai/v1/chat/%63ompletions", 403],
  ])("is no path that leads %s", async (_, path, status) => {
    const { key } = await governed();
    const { url, got } = await providerThat((__, response) => response.end(fine));
    const answer = await proxyBefore(url)(path, { key, body });
    expect({ status: answer.status, reached: got.length }).toEqual({ status, reached: 0 });
  });

  test("is nothing where the caller sets what it may not, or what nobody knows", async () => {
    const { key } = await governed();
    const { url, got } = await providerThat((_, response) => response.end(fine));
    const proxy = proxyBefore(url);
    for (const [name, status] of [
      ["x-sluice-customer-id", 403],
      ["x-sluice-estimate-usd", 403],
      ["x-sluice-request-id", 403],
      ["x-sluice-hold-seconds", 400],
    ] as const) {
      const answer = await proxy(CHAT, { key, body, headers: { [name]: "1" } });
      expect(answer.status).toBe(status);
      expect(await answer.text()).toContain(name);
    }
    const tags = await proxy(CHAT, { key, body, headers: { "x-sluice-tags": "a=1,a=2" } });
    expect(tags.status).toBe(422);
    expect(got).toHaveLength(0);
  });

  test("is for whom the key is, whatever the caller says", async () => {
    const org = await governed();
    const { url } = await providerThat((_, response) => response.end(fine));
    const keyId = `key_${org.key.slice("svc_live_".length + 26, "svc_live_".length + 52)}`;
    const proxy = proxyBefore(url, {
      callerSets: ["customer_id"],
      keyFields: { [keyId]: { customer_id: "acme" } },
    });
    await (await proxy(CHAT, { key: org.key, body, headers: { "x-sluice-customer-id": "another" } })).text();
    const [run] = await org.runs(1);
    expect(run?.["customer_id"]).toBe("acme");
  });

  test("is no body over the bound, with its length or without", async () => {
    const { key } = await governed();
    const { url, got } = await providerThat((_, response) => response.end(fine));
    const proxy = proxyBefore(url, { mostBodyBytes: 1000 });
    const large = "x".repeat(1001);
    const chunks = new Blob([large]).stream();
    for (const sent of [{ body: large }, { body: chunks, duplex: "half" as const }]) {
      expect((await proxy(CHAT, { key, ...sent })).status).toBe(413);
    }
    expect(got).toHaveLength(0);
  });

  test("is no WebSocket", async () => {
    const { key } = await governed();
    const { url, got } = await providerThat((_, response) => response.end(fine));
    const headers = { upgrade: "websocket" };
    expect((await proxyBefore(url)("/openai/v1/realtime", { key, headers })).status).toBe(400);
    expect(got).toHaveLength(0);
  });
});

describe("what a caller gets", () => {
  test("is no redirect and no key of the provider's, wherever it is put", async () => {
    const { key } = await governed();
    const { url, got } = await providerThat(({ headers }, response) => {
      const status = Number(headers["x-status"]);
      response.writeHead(status, {
        location: "http://evil.test/",
        "x-echo": PROVIDER_KEY,
        "set-cookie": "a=1",
      });
      response.end(JSON.stringify({ error: { message: `the key ${PROVIDER_KEY} has no such model` } }));
    });
    const proxy = proxyBefore(url);
    for (const [status, told] of [
      [302, 502],
      [307, 502],
      [401, 502],
      [403, 403],
      [429, 429],
      [500, 500],
    ] as const) {
      const answer = await proxy(CHAT, { key, body, headers: { "x-status": String(status) } });
      const all = JSON.stringify([...answer.headers]) + (await answer.text());
      expect(answer.status).toBe(told);
      expect(all).not.toContain(PROVIDER_KEY);
      expect(all).not.toContain("evil.test");
      expect(all).not.toContain("set-cookie");
    }
    expect(got).toHaveLength(6);
  });

  test("is the id of its run, or the trace of a line in the log, and neither is the provider's to say", async () => {
    const org = await governed();
    const { url } = await providerThat(({ headers }, response) => {
      const status = Number(headers["x-status"]);
      response.writeHead(status, { "x-svc-trace-id": "theirs", "x-sluice-run-id": "theirs" });
      response.end(status === 200 ? fine : "{}");
    });
    const lines: (ProxyLine | UnsettledLine)[] = [];
    const proxy = proxyBefore(url, { log: (line) => lines.push(line) });
    const ids: (string | null)[] = [];
    for (const status of [200, 429, 500]) {
      const answer = await proxy(CHAT, { key: org.key, body, headers: { "x-status": String(status) } });
      await answer.text();
      expect(answer.headers.has("x-svc-trace-id")).toBe(false);
      ids.push(answer.headers.get("x-sluice-run-id"));
    }
    expect(new Set((await org.runs(3)).map(({ id }) => id))).toEqual(new Set(ids));
    expect(lines).toEqual([]);

    const { headers } = await proxy(CHAT, { key: org.key, body, headers: { "x-status": "302" } });
    const trace = headers.get("x-svc-trace-id");
    expect(trace).toMatch(/^[0-9a-f-]{36}$/);
    expect(lines).toMatchObject([{ trace, status: 502, code: "bad_gateway", org: org.org }]);
  });

  test("is the provider's stream byte for byte, as fast as it is read", async () => {
    const { key } = await governed();
    const provider = await startProvider();
    const words = (count: number) => ({
      body: JSON.stringify({
        ...JSON.parse(streaming),
        max_tokens: 99_999,
        stream_options: { include_usage: true },
        messages: [`${count} words`],
      }),
    });
    const proxy = proxyBefore(provider.url);
    const through = await (await proxy(CHAT, { key, ...words(300) })).text();
    const direct = await fetch(`${provider.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${PROVIDER_KEY}` },
      ...words(300),
    });
    const named = (text: string) => text.replaceAll(/standin\d+/g, "standin");
    expect(named(through)).toBe(named(await direct.text()));
    const unread = await proxy(CHAT, { key, ...words(99_999) });
    const reader = unread.body?.getReader();
    await reader?.read();
    const sent = () => provider.served.at(-1)?.outputTokens ?? 0;
    let before = -1;
    await expect.poll(() => sent() === before || ((before = sent()), false), { interval: 300 }).toBe(true);
    expect(sent()).toBeLessThan(99_999);
    await reader?.cancel();
    await provider.close();
  });
});
