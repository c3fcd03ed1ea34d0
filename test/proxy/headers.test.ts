import { expect, test } from "vitest";
import { credentialsIn } from "../../src/proxy/credentials.ts";
import { headersTo } from "../../src/proxy/headers.ts";
import { DENIED_HEADERS } from "../support/denied-headers.ts";

test("a header that nobody sets is not relayed from a caller, nor one that names the account at the provider", () => {
  const account = ["OpenAI-Organization", "openai-project", "X-Goog-User-Project"];
  const given = new Headers([...DENIED_HEADERS, ...account, "X-Kept"].map((name) => [name, "1"]));
  const sent = headersTo({ added: [], contentType: "application/json" }, given);
  expect(Object.fromEntries(sent)).toEqual({
    "accept-encoding": "identity",
    "content-type": "application/json",
    "x-kept": "1",
    "x-sluice-proxied": "1",
  });
});

test("headers of another gateway, with its key in one of them, go to no provider", () => {
  const given = new Headers({
    "Helicone-Auth": "Bearer sk-helicone",
    "Helicone-Property-Team": "search",
    "x-portkey-api-key": "pk",
    "x-portkey-metadata": "{}",
    "x-litellm-tags": "a",
    "anthropic-beta": "context-1m-2025-08-07",
  });
  const sent = headersTo({ added: [["authorization", "Bearer sk-1"]], contentType: null }, given);
  expect([...sent.keys()]).toEqual([
    "accept-encoding",
    "anthropic-beta",
    "authorization",
    "x-sluice-proxied",
  ]);
});

test("a key of the operator's for another gateway behind the proxy is sent", () => {
  const added = [["helicone-auth", "Bearer sk-of-the-operator"]] as const;
  const sent = headersTo({ added, contentType: null }, new Headers({ "helicone-auth": "Bearer sk-theirs" }));
  expect(sent.get("helicone-auth")).toBe("Bearer sk-of-the-operator");
});

test.each(["svc_live_1", "Bearer svc_live_1", "bearer  svc_live_1"])(
  "the Sluice key is read from a header of its own: %s",
  (value) => {
    const headers = new Headers({ "x-sluice-key": value, authorization: "Bearer sk-own" });
    expect(credentialsIn(headers, true)).toEqual({
      key: "svc_live_1",
      own: ["authorization", "Bearer sk-own"],
    });
  },
);
