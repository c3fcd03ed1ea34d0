import { describe, expect, test } from "vitest";
import { DENIED_HEADERS, headerObject } from "../support/denied-headers.ts";
import { newSpender } from "../support/ledger.ts";
import { rowsOf } from "../support/rows.ts";
import { call } from "../support/worker.ts";

const SECRET = "sk-of-the-org-and-nobody-else-wxyz";
const HEADER = "a-header-that-is-a-secret-too";
const BODY = {
  secret: SECRET,
  base_url: "https://eu.api.openai.com/path",
  headers: { "OpenAI-Organization": HEADER },
  models: ["gpt-*", "o3"],
};

describe("a key of a provider", () => {
  test("is set, read, listed and deleted without its secret, which is encrypted", async () => {
    const org = await newSpender();
    const set = await org.send("PUT", "provider-keys/openai", BODY);
    expect([set.status, set.body]).toMatchObject([
      200,
      {
        provider: "openai",
        last4: "wxyz",
        base_url: BODY.base_url,
        header_names: ["OpenAI-Organization"],
        models: BODY.models,
      },
    ]);
    const read = await org.send("GET", "provider-keys/openai");
    expect(read.body).toEqual(set.body);
    const listed = await org.send("GET", "provider-keys");
    expect(listed.body.data).toEqual([set.body]);
    const rows = JSON.stringify(await rowsOf(org.id, "SELECT * FROM provider_keys"));
    expect(rows).toContain("wxyz");
    const deleted = await org.send("DELETE", "provider-keys/openai");
    expect(deleted.status).toBe(204);
    expect((await org.send("GET", "provider-keys/openai")).status).toBe(404);
    expect((await org.send("DELETE", "provider-keys/openai")).status).toBe(404);
    const audit = await org.send("GET", "audit-log");
    expect(audit.text).toContain("provider_key.set");
    expect(audit.text).toContain("provider_key.deleted");
    for (const text of [set.text, read.text, listed.text, rows, audit.text]) {
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(HEADER);
    }
  });

  test("may have a suffix, in one segment or in two", async () => {
    const org = await newSpender();
    await org.send("PUT", "provider-keys/openai", BODY);
    await org.send("PUT", "provider-keys/openai/eu", { secret: "short" });
    const read = await org.send("GET", "provider-keys/openai%2Feu");
    expect(read.body).toMatchObject({ provider: "openai/eu", last4: "****", models: null, base_url: null });
    const listed = await org.send("GET", "provider-keys");
    expect(listed.body.data.map(({ provider }: { provider: string }) => provider)).toEqual([
      "openai",
      "openai/eu",
    ]);
    expect((await org.send("DELETE", "provider-keys/openai/eu")).status).toBe(204);
  });

  test("names every bad field at once", async () => {
    const org = await newSpender();
    const { status, body } = await org.send("PUT", "provider-keys/openai", {
      secret: "line\nbreak",
      base_url: "nope",
      headers: { authorization: "x" },
      models: ["a*b"],
      other: 1,
    });
    const fields = body.error.details.fields.map(({ field }: { field: string }) => field);
    expect([status, new Set(fields)]).toEqual([
      422,
      new Set(["secret", "base_url", "headers.authorization", "models[0]", "other"]),
    ]);
  });

  test.each([
    ["base_url", { base_url: "ftp://example.com" }],
    ["base_url", { base_url: "https://user:pass@example.com" }],
    ["base_url", { base_url: "https://example.com/?key=1" }],
    ["headers.x-sluice-key", { headers: { "x-sluice-key": "a" } }],
    ["headers.Content-Length", { headers: { "Content-Length": "1" } }],
    ["models", { models: [] }],
    ["secret", { secret: "" }],
  ])("is refused at %s", async (field, more) => {
    const org = await newSpender();
    const { status, body } = await org.send("PUT", "provider-keys/openai", { ...BODY, ...more });
    expect([status, body.error?.details.fields[0].field]).toEqual([422, field]);
  });

  test("refuses headers that nobody sets, and those of a provider's key, by name and in any case", async () => {
    const org = await newSpender();
    for (const name of [...DENIED_HEADERS, "Authorization", "X-API-Key", "traceparent"]) {
      for (const spelled of [name, name.toLowerCase(), name.toUpperCase()]) {
        if (spelled === "__PROTO__") continue;
        const body = { ...BODY, headers: headerObject(spelled) };
        const answer = await org.send("PUT", "provider-keys/openai", body);
        const fields = answer.body.error?.details.fields.map(({ field }: { field: string }) => field);
        expect([answer.status, fields]).toEqual([422, [`headers.${spelled}`]]);
      }
    }
  });

  test.each(["UPPER", "open.ai", "openai%2F", "openai%2Fa%2Fb", "-a"])(
    "is refused under the name %s",
    async (name) => {
      const org = await newSpender();
      const { status, body } = await org.send("PUT", `provider-keys/${name}`, BODY);
      expect([status, body.error?.details.fields?.[0].field]).toEqual([422, "provider"]);
    },
  );

  test.each([
    ["developer", undefined, "forbidden"],
    ["admin", ["org:write", "org:read"], "missing_scope"],
  ] as const)("is nothing for a %s with %j", async (role, scopes, code) => {
    const org = await newSpender();
    const minted = await org.send("POST", "keys", { name: "other", role, ...(scopes && { scopes }) });
    const key = minted.body.key as string;
    for (const method of ["PUT", "GET", "DELETE"]) {
      const path = `/v1/orgs/${org.id}/provider-keys/openai`;
      const { status, body } = await call(method, path, { key, ...(method === "PUT" ? { body: BODY } : {}) });
      expect([status, body.error.code]).toEqual([403, code]);
    }
  });

  test("is handed over at no address", async () => {
    const org = await newSpender();
    await org.send("PUT", "provider-keys/openai", BODY);
    for (const path of ["/v1/edge/provider-key/openai", "//v1/edge/provider-key/openai"]) {
      const { status, text } = await call("GET", path, { key: org.key });
      expect([status, text.includes(SECRET)]).toEqual([404, false]);
    }
  });
});
