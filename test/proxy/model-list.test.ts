import { describe, expect, test } from "vitest";
import type { Provider } from "../../src/providers/provider.ts";
import { PROVIDERS } from "../../src/providers/table.ts";
import { OPERATORS_KEY, SmallProxy } from "../support/small-proxy.ts";
import { SMALL_KEY } from "../support/small-service.ts";

/** The models that a provider lists, as callers of the proxy see them. */

const PUBLIC = { id: "accounts/fireworks/models/open", name: "open", object: "model", owned_by: "openai" };
/** As providers mark models that an account has tuned: each by one mark. */
const OWN: readonly object[] = [
  { id: "ft:gpt-4o-mini-2024-07-18:acme::abc" },
  { id: "ft:gpt-4o:acme::abc:ckpt-step-90", owned_by: "openai" },
  { id: "curie:ft-acme-2023-01-01" },
  { id: "gpt-35-turbo-0613.ft-3d8f7a5f4e5d4c31" },
  { id: "curie-2", model: "curie", fine_tune: "ft-72a2792e" },
  { id: "open-mistral", type: "fine-tuned" },
  { id: "open-mistral-2", job: "j" },
  { name: "command-mine", finetuned: true },
  { name: "tunedModels/mine" },
  { id: "sql-lora", owned_by: "vllm", parent: "meta-llama/Llama-3" },
  { id: "mine", owned_by: "user-abc" },
  { id: "mine", owned_by: "org-abc" },
];
/** A mark that means something at one provider only. */
const OWN_AT: Readonly<Record<string, object>> = {
  openai: { id: "mine", owned_by: "acme" },
  fireworks: { id: "accounts/acme/models/mine" },
};

const GETS = Object.values(PROVIDERS).flatMap((provider: Provider) =>
  provider.free
    .filter((call) => call.startsWith("GET "))
    .map((call) => [provider.name, `/${provider.name}${call.slice(4).replace("{model}", "m")}`] as const),
);
const LISTS = GETS.filter(([, path]) => path.endsWith("/models"));
const ONES = GETS.filter(([, path]) => !path.endsWith("/models"));

function proxyOf(name: string): SmallProxy {
  return new SmallProxy({
    ownKeys: true,
    providers: { [name]: { key: OPERATORS_KEY, url: "https://host.test" } },
  });
}

const ownAt = (name: string) => [...OWN, ...(OWN_AT[name] === undefined ? [] : [OWN_AT[name]])];
const isUnmarked = (name: string) => name === "together";

describe("the operator's own models are not shown to its callers", () => {
  test("at every path of a provider that is free to read", () => {
    expect(LISTS.length).toBeGreaterThan(14);
    expect(GETS.every(([, path]) => /\/models(\/m)?$/.test(path))).toBe(true);
  });

  test.each(LISTS)("%s: %s", async (name, path) => {
    const models = [PUBLIC, ...ownAt(name)];
    for (const whole of [{ object: "list", data: models }, { models, next_page_token: "t" }, models]) {
      const small = proxyOf(name);
      small.answer = () => Response.json(whole);
      const answer = await small.call(path);
      if (isUnmarked(name)) {
        expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining("forbidden")]);
        continue;
      }
      const shown = JSON.parse(
        JSON.stringify(whole, (_, value: unknown) => (value === models ? [PUBLIC] : value)),
      );
      expect([answer.status, await answer.json()]).toEqual([200, shown]);
      expect(answer.headers.get("x-sluice-run-id")).not.toBeNull();
    }
  });

  test.each(ONES)("one by its name, %s: %s", async (name, path) => {
    for (const model of isUnmarked(name) ? [] : ownAt(name)) {
      const small = proxyOf(name);
      small.answer = () => Response.json(model);
      const answer = await small.call(path);
      expect([model, answer.status, await answer.text()]).toEqual([
        model,
        404,
        expect.not.stringContaining("mine"),
      ]);
    }
    const small = proxyOf(name);
    small.answer = () => Response.json(PUBLIC);
    const { status } = await small.call(path);
    expect(status).toBe(isUnmarked(name) ? 403 : 200);
  });

  test.each(["not json", '{"data":[{"id":"ft:gpt-4o:acme::a"}', `[${" ".repeat(8_388_608)}]`])(
    "and a list that cannot be read is not relayed (%#)",
    async (text) => {
      const small = proxyOf("openai");
      small.answer = () => new Response(text, { headers: { "content-type": "application/json" } });
      const answer = await small.call("/openai/v1/models");
      const shown = await answer.text();
      expect([answer.status, shown.includes("cannot be read"), shown.length < 1000]).toEqual([
        502,
        true,
        true,
      ]);
    },
  );

  test("also where a key or a host beside the first answers", async () => {
    const more = [{ url: "https://other.test" }];
    const small = new SmallProxy({ providers: { openai: { key: OPERATORS_KEY, more } } });
    const list = () => Response.json({ data: [PUBLIC, ...ownAt("openai")] });
    small.answer = (url) => (url.startsWith("https://other") ? list() : new Response("", { status: 500 }));
    expect(await (await small.call("/openai/v1/models")).json()).toEqual({ data: [PUBLIC] });
  });
});

test.each(GETS)(
  "those of an organization or a caller are shown with its own key, %s: %s",
  async (name, path) => {
    const whole = path.endsWith("/models") ? { data: [PUBLIC, ...ownAt(name)] } : ownAt(name)[0];
    const ofOrg = proxyOf(name);
    const set = { secret: "sk-of-the-org-0123456789", base_url: null, headers: {}, models: null };
    ofOrg.service.keys.set(name, set);
    ofOrg.answer = () => Response.json(whole);
    const ofCaller = proxyOf(name);
    ofCaller.answer = () => Response.json(whole);
    const headers = { "x-sluice-key": SMALL_KEY, authorization: "Bearer sk-of-the-caller" };
    for (const answer of [await ofOrg.call(path), await ofCaller.call(path, { headers })])
      expect([answer.status, await answer.json()]).toEqual([200, whole]);
  },
);
