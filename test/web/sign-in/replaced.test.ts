import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { OrgDoor } from "../../../src/edge/object/org-door.ts";
import {
  begin,
  comeBack,
  connect,
  onNetwork,
  orgAt,
  redirectUriOf,
  signInAt,
} from "../../support/oidc-sign-in.ts";
import { signedIn } from "../../support/session.ts";
import { call, env, type TestOrg } from "../../support/worker.ts";
import { HONEST, STRANGER } from "../saml/keys.ts";
import { type KeyPair, LyingProvider, newKey } from "../sso/lying-provider.ts";

/** What an org's old provider has vouched for ends when it is replaced. */

let key: KeyPair;
let old: LyingProvider;
let next: LyingProvider;
beforeAll(async () => {
  key = await newKey();
});
beforeEach(() => {
  [old, next] = [new LyingProvider(key), new LyingProvider(key, "https://next.example")];
  onNetwork(() => [old, next]);
});
afterEach(() => vi.restoreAllMocks());

const statusOf = async (cookie: string) =>
  (await call("GET", "/v1/console/session", { headers: { cookie } })).status;

test("replacing the provider ends its sessions at once, and no others", async () => {
  const org = await orgAt(old);
  const cookie = await signInAt(org, old);
  const other = await signedIn(org.id);
  await connect(org, old, { client_secret: "another secret", default_role: "developer" });
  expect(await statusOf(cookie)).toBe(200);
  await connect(org, next);
  expect([await statusOf(cookie), await statusOf(other.cookie)]).toEqual([401, 200]);
  const trail = await call("GET", `/v1/orgs/${org.id}/audit-log?action=sso.changed`, { key: org.ownerKey });
  const ended = trail.body.data.map(
    (entry: { detail: { sessions_ended: number } }) => entry.detail.sessions_ended,
  );
  expect(ended.toSorted()).toEqual([0, 0, 1]);
  expect(await statusOf(await signInAt(org, next))).toBe(200);
});

test.each([
  ["the client at the same provider", { client_id: "another" }],
  ["OpenID Connect by SAML", null],
])("replacing %s ends the sessions too", async (_, change) => {
  const org = await orgAt(old);
  const cookie = await signInAt(org, old);
  if (change === null) await useSaml(org, HONEST.certificate);
  else await connect(org, old, change);
  expect(await statusOf(cookie)).toBe(401);
});

async function useSaml(org: TestOrg, certificate: string): Promise<void> {
  const body = {
    kind: "saml",
    idp_entity_id: "https://idp.example",
    idp_sso_url: "https://idp.example/sso",
    idp_certificate: certificate,
  };
  const put = await call("PUT", `/v1/orgs/${org.id}/sso`, { key: org.ownerKey, body });
  expect(put.status).toBe(200);
}

test.each([
  ["another provider", () => next, {}],
  ["the same one, with another role for newcomers", () => old, { default_role: "admin" }],
])("a sign-in that started before the change to %s does not finish", async (_, provider, more) => {
  const org = await orgAt(old);
  const back = await redirectUriOf(org);
  const { sentTo, cookie } = await begin(org);
  const returned = old.authorize(sentTo.href);
  await connect(org, provider(), more);
  const refused = await comeBack(back, returned, { cookie });
  expect([refused.status, refused.headers.get("set-cookie")]).toEqual([401, null]);
  expect(await refused.text()).toContain("connection_changed");
  expect([...old.calls, ...next.calls].filter((made) => made.startsWith("POST"))).toEqual([]);
});

test("a sign-in during which the provider is replaced does not finish", async () => {
  const org = await orgAt(old);
  const back = await redirectUriOf(org);
  const { sentTo, cookie } = await begin(org);
  const returned = old.authorize(sentTo.href);
  const { send } = old;
  old.send = async (request) => {
    if (request.method === "POST") await connect(org, next);
    return send(request);
  };
  const refused = await comeBack(back, returned, { cookie });
  expect([refused.status, refused.headers.get("set-cookie")]).toEqual([401, null]);
  expect(await refused.text()).toContain("connection_changed");
});

test("a SAML provider's sessions end when one of its certificates is removed, and not when one is added", async () => {
  const org = await orgAt(old);
  await useSaml(org, HONEST.certificate);
  const sessions = async () => {
    const listed = await call("GET", `/v1/orgs/${org.id}/sessions`, { key: org.ownerKey });
    return listed.body.data.length as number;
  };
  const actor = { kind: "session", id: "ses_x", role: "viewer", onBehalfOf: null, address: null } as const;
  const door = new OrgDoor(env.ORG.getByName(org.id), {
    actor,
    trace: "test",
    idempotency: null,
    ifMatch: null,
  });
  const person = { subject: "ada", name: "Ada", email: null, role: "viewer" } as const;
  const session = { id: "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV", digest: "d", provider: "https://idp.example" };
  await door.command("openSession", { ...session, ...person, region: "local", connection: null });
  expect(await sessions()).toBe(1);
  await useSaml(org, `${HONEST.certificate}\n${STRANGER.certificate}`);
  expect(await sessions()).toBe(1);
  await useSaml(org, STRANGER.certificate);
  expect(await sessions()).toBe(0);
});
