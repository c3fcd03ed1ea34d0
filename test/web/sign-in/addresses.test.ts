import { createExecutionContext } from "cloudflare:test";
import { expect, test } from "vitest";
import { createApp } from "../../../src/app.ts";
import { call, env, newOrg } from "../../support/worker.ts";
import { HONEST } from "../saml/keys.ts";

/** The same Worker, with private addresses forbidden. */
const strict = { ...env, SVC_WEBHOOK_ALLOW_PRIVATE: "false" };

const OIDC = { kind: "oidc", issuer: "https://10.0.0.1", client_id: "c", client_secret: "s" };
const SAML = {
  kind: "saml",
  idp_entity_id: "https://idp.example",
  idp_sso_url: "https://10.0.0.1/sso",
  idp_certificate: HONEST.certificate,
};

test.each([
  ["OpenID Connect", OIDC],
  ["SAML", SAML],
])("a %s provider at a private address, set while that was allowed, is no longer used", async (_, body) => {
  const org = await newOrg();
  expect((await call("PUT", `/v1/orgs/${org.id}/sso`, { key: org.ownerKey, body })).status).toBe(200);
  let at = `http://sluice.test/sso/login?org=${org.id}`;
  let answer = new Response();
  for (let hops = 0; hops < 2; hops++) {
    const request = new Request(at, { redirect: "manual" });
    answer = await createApp().fetch(request, strict, createExecutionContext());
    const next = answer.headers.get("location");
    if (next === null) break;
    at = new URL(next, at).href;
    expect(at).toMatch(/^http:\/\/sluice\.test\//);
  }
  expect([answer.status, answer.headers.get("location")]).toEqual([401, null]);
  expect(await answer.text()).toContain("address_refused");
});
