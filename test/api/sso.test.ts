import { expect, test } from "vitest";
import { call, env, newOrg } from "../support/worker.ts";
import { HONEST } from "../web/saml/keys.ts";

const OIDC = {
  kind: "oidc",
  issuer: "https://login.example.com",
  client_id: "sluice",
  client_secret: "s3cret-1234",
};
const SAML = {
  kind: "saml",
  idp_entity_id: "https://idp.example",
  idp_sso_url: "https://idp.example/sso",
  idp_certificate: HONEST.certificate,
};

test("an owner sets how people sign in; the secret is stored encrypted and never returned", async () => {
  const org = await newOrg();
  const path = `/v1/orgs/${org.id}/sso`;
  expect((await call("GET", path, { key: org.ownerKey })).status).toBe(404);
  const put = await call("PUT", path, { key: org.ownerKey, body: OIDC });
  expect(put.status).toBe(200);
  expect(put.body).toMatchObject({
    kind: "oidc",
    issuer: OIDC.issuer,
    client_secret_last4: "****",
    default_role: "viewer",
  });
  expect(put.text).not.toContain("s3cret");
  const other = { ...OIDC, client_secret: "another-9876" };
  const changed = await call("PUT", path, { key: org.ownerKey, body: other });
  expect({ ...changed.body, updated_at: null }).toEqual({ ...put.body, updated_at: null });
  await call("PUT", path, { key: org.ownerKey, body: OIDC });
  const read = await call("GET", path, { key: org.ownerKey });
  expect({ ...read.body, updated_at: null }).toEqual({ ...put.body, updated_at: null });
  const { runInDurableObject } = await import("cloudflare:test");
  const stored = await runInDurableObject(env.ORG.getByName(org.id), (_, state) =>
    JSON.stringify(state.storage.sql.exec("SELECT * FROM sso").toArray()),
  );
  expect(stored).not.toContain("s3cret");
  const saml = await call("PUT", path, { key: org.ownerKey, body: { ...SAML, default_role: "developer" } });
  expect(saml.body).toMatchObject({
    kind: "saml",
    idp_entity_id: SAML.idp_entity_id,
    default_role: "developer",
  });
});

test.each([
  ["issuer", { ...OIDC, issuer: "http://login.example.com" }],
  ["issuer", { ...OIDC, issuer: "javascript:alert(1)" }],
  ["issuer", { ...OIDC, issuer: "https://user:pass@login.example.com" }],
  ["idp_sso_url", { ...SAML, idp_sso_url: "data:text/html,x" }],
  ["idp_certificate", { ...SAML, idp_certificate: "not a certificate!" }],
  ["idp_certificate", { ...SAML, idp_certificate: "AAAA" }],
  ["default_role", { ...OIDC, default_role: "owner" }],
  ["client_secret", { ...OIDC, client_secret: "" }],
  ["surprise", { ...OIDC, surprise: 1 }],
])("a connection whose %s cannot be trusted is refused, naming it", async (field, body) => {
  const org = await newOrg();
  const refused = await call("PUT", `/v1/orgs/${org.id}/sso`, { key: org.ownerKey, body });
  expect([refused.status, refused.body.error.details.fields[0].field]).toEqual([422, field]);
});

test("only an owner can read and set it", async () => {
  const org = await newOrg();
  const key = await org.mint("admin");
  for (const method of ["GET", "PUT"]) {
    const refused = await call(method, `/v1/orgs/${org.id}/sso`, {
      key,
      ...(method === "PUT" ? { body: OIDC } : {}),
    });
    expect([refused.status, refused.body.error.code]).toEqual([403, "forbidden"]);
  }
});
