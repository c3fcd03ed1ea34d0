import { expect, vi } from "vitest";
import { CONNECTION, type LyingProvider } from "../web/sso/lying-provider.ts";
import { call, newOrg, serve, type TestOrg } from "./worker.ts";

/** Signs in over the Worker's own routes, with providers that replace the network. */

const ORIGIN = "http://sluice.test";

/** Requests to these providers reach them. `vi.restoreAllMocks` undoes it. */
export function onNetwork(providers: () => readonly LyingProvider[]): void {
  const network = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
    const request = new Request(input, init);
    const { origin } = new URL(request.url);
    const provider = providers().find(({ issuer }) => issuer === origin);
    return provider === undefined ? network(input, init) : provider.send(request);
  });
}

export async function connect(org: TestOrg, provider: LyingProvider, more: object = {}): Promise<void> {
  const { clientId: client_id, clientSecret: client_secret } = CONNECTION;
  const body = { kind: "oidc", issuer: provider.issuer, client_id, client_secret, ...more };
  const put = await call("PUT", `/v1/orgs/${org.id}/sso`, { key: org.ownerKey, body });
  expect([put.status, put.text]).toEqual([200, expect.anything()]);
}

export async function orgAt(provider: LyingProvider): Promise<TestOrg> {
  const org = await newOrg();
  await connect(org, provider);
  return org;
}

export async function redirectUriOf(org: TestOrg): Promise<string> {
  return (await call("GET", `/v1/orgs/${org.id}/sso`, { key: org.ownerKey })).body.redirect_uri;
}

export function ask(path: string, headers: Record<string, string> = {}): Promise<Response> {
  const from = { "cf-connecting-ip": "203.0.113.7" };
  return serve(ORIGIN + path, { headers: { ...from, ...headers }, redirect: "manual" });
}

/** A browser starts to sign in at an org: where it is sent, and its cookie. */
export async function begin(org: TestOrg): Promise<{ sentTo: URL; cookie: string }> {
  const sent = await ask(`/sso/login?org=${org.id}`);
  expect(sent.status).toBe(302);
  const cookie = sent.headers.get("set-cookie")?.split(";")[0] ?? "";
  return { sentTo: new URL(sent.headers.get("location") ?? ""), cookie };
}

/** The browser returns to the redirect URI with what the provider gave it. */
export function comeBack(
  redirectUri: string,
  returned: URLSearchParams,
  headers: Record<string, string>,
): Promise<Response> {
  return ask(`${new URL(redirectUri).pathname}?${returned}`, headers);
}

/** The cookie of a signed-in person. */
export async function signInAt(org: TestOrg, provider: LyingProvider): Promise<string> {
  const { sentTo, cookie } = await begin(org);
  const entered = await comeBack(await redirectUriOf(org), provider.authorize(sentTo.href), { cookie });
  expect(entered.status).toBe(303);
  return entered.headers.get("set-cookie")?.split(";")[0] ?? "";
}
