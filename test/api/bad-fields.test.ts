import { beforeAll, expect, test } from "vitest";
import { type Answer, call, newOrg, operatorKey, type TestOrg } from "../support/worker.ts";

/** Operations that check fields against what is stored report all of them at once, too. */

let org: TestOrg;
beforeAll(async () => {
  org = await newOrg();
});

const send = (method: string, path: string, body: object): Promise<Answer> =>
  call(method, `/v1/orgs/${org.id}/${path}`, { key: org.ownerKey, body });

function fieldsOf(answer: Answer): string[] {
  expect(answer.status).toBe(422);
  return answer.body.error.details.fields.map(({ field }: { field: string }) => field).toSorted();
}

test("an empty budget", async () => {
  expect(fieldsOf(await send("POST", "budgets", {}))).toEqual(["limit_usd", "period", "scope_kind"]);
});

test("a change of a budget, and a temporary increase", async () => {
  const made = await send("POST", "budgets", { scope_kind: "org", limit_usd: "1", period: "week" });
  const change = { limit: 5, anchor_day: 20 };
  expect(fieldsOf(await send("PATCH", `budgets/${made.body.id}`, change))).toEqual(["anchor_day", "limit"]);
  const increase = { amount: "0", until: "2020-01-01T00:00:00Z", reason: "r" };
  expect(fieldsOf(await send("POST", `budgets/${made.body.id}/increases`, increase))).toEqual([
    "amount",
    "until",
  ]);
});

test("a new key", async () => {
  const key = {
    name: "n",
    role: "viewer",
    scopes: ["keys:write", "runs:read", "runs:write"],
    expires_at: "2020-01-01T00:00:00Z",
  };
  expect(fieldsOf(await send("POST", "keys", key))).toEqual(["expires_at", "scopes[0]", "scopes[2]"]);
});

test("a SAML connection", async () => {
  const saml = { kind: "saml", idp_entity_id: "e", idp_sso_url: "ftp://x", idp_certificate: "none" };
  expect(fieldsOf(await send("PUT", "sso", saml))).toEqual(["idp_certificate", "idp_sso_url"]);
});

test("a connection of a wrong or missing kind", async () => {
  const body = { issuer: 5, idp_sso_url: "", client_id: "c", default_role: "owner", surprise: 1 };
  const wrong = ["default_role", "idp_sso_url", "issuer", "kind", "surprise"];
  expect(fieldsOf(await send("PUT", "sso", body))).toEqual(wrong);
  const answer = await send("PUT", "sso", { ...body, kind: "ldap" });
  expect(fieldsOf(answer)).toEqual(wrong);
  expect(answer.body.error.details.fields).toContainEqual({
    field: "issuer",
    code: "invalid_type",
    message: "must be a string",
  });
  expect(
    fieldsOf(await send("PUT", "sso", { kind: "ldap", client_id: "c", default_role: "viewer" })),
  ).toEqual(["kind"]);
});

test("an export", async () => {
  const destination = { kind: "ftp", prefix: "../x", bucket: "B", region: "eu", surprise: 1 };
  const body = { format: "csv", focus_version: "1.2", every: "week", destination };
  expect(fieldsOf(await send("PUT", "exports/usage", body))).toEqual([
    "destination.bucket",
    "destination.kind",
    "destination.prefix",
    "destination.surprise",
    "every",
    "focus_version",
  ]);
  const s3 = { kind: "s3", endpoint: "https://s3.example/path", bucket: "bucket", region: "eu" };
  const keys = { access_key_id: "a", secret_access_key: "s" };
  const named = { format: "csv", every: "day", destination: { ...s3, ...keys } };
  expect(fieldsOf(await send("PUT", "exports/Usage", named))).toEqual(["destination.endpoint", "name"]);
});

test("a new organization", async () => {
  const body = { name: "n", plan: "no-such-plan", home_region: "nowhere" };
  const refused = await call("POST", "/v1/admin/orgs", { key: operatorKey(), body });
  expect(fieldsOf(refused)).toEqual(["home_region", "plan"]);
});
