import { beforeAll, describe, expect, test } from "vitest";

import { finishOidc, type OidcAttempt, startOidc } from "../../../src/web/sso/oidc.ts";
import { CONNECTION, type KeyPair, type Lies, LyingProvider, newKey } from "./lying-provider.ts";

const REDIRECT = "https://sluice.example/sso/callback";
const begin = () => ({ redirectUri: REDIRECT, state: crypto.randomUUID() });
let key: KeyPair;
let otherKey: KeyPair;

beforeAll(async () => {
  key = await newKey();
  otherKey = await newKey();
});

async function start(provider: LyingProvider): Promise<{ attempt: OidcAttempt; returned: URLSearchParams }> {
  const started = await startOidc(CONNECTION, begin(), provider);
  if (!started.ok) throw new Error(started.failure);
  return { attempt: started.attempt, returned: provider.authorize(started.url) };
}

async function signInWith(lies: Lies) {
  const provider = new LyingProvider(key);
  const { attempt, returned } = await start(provider);
  provider.lies = lies;
  return finishOidc(CONNECTION, attempt, returned, provider);
}

describe("a person identified by the provider", () => {
  test("is signed in with the subject, address and name of the token", async () => {
    expect(await signInWith({})).toEqual({
      ok: true,
      identity: { subject: "user-1", email: "ada@example.com", name: "Ada", role: null },
    });
  });

  test("is signed in after the provider has rotated its keys", async () => {
    const provider = new LyingProvider(otherKey);
    const { attempt, returned } = await start(provider);
    provider.lies = {
      keys: [await new LyingProvider(key).publicKey(), { ...(await provider.publicKey()), kid: "k2" }],
      header: { alg: "RS256", kid: "k2" },
    };
    expect(await finishOidc(CONNECTION, attempt, returned, provider)).toMatchObject({ ok: true });
  });

  test("keeps no address that the provider marks as unverified", async () => {
    expect(await signInWith({ claims: { email_verified: false } })).toMatchObject({
      ok: true,
      identity: { email: null },
    });
  });

  test("has a name cut at whole characters", async () => {
    const claims = { name: `${"x".repeat(255)}\u{1f600}`, email: "\ud800@example.com" };
    expect(await signInWith({ claims })).toMatchObject({
      ok: true,
      identity: { name: `${"x".repeat(255)}\uFFFD`, email: "\uFFFD@example.com" },
    });
  });

  test("is sent away with a unique challenge and nonce", async () => {
    const sent = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const started = await startOidc(CONNECTION, begin(), new LyingProvider(key));
        if (!started.ok) throw new Error(started.failure);
        const asked = new URL(started.url).searchParams;
        expect(asked.get("code_challenge_method")).toBe("S256");
        return ["nonce", "code_challenge"].map((name) => asked.get(name));
      }),
    );
    expect(new Set(sent.flat()).size).toBe(16);
  });
});

describe("no session is created", () => {
  const now = Math.floor(Date.now() / 1000);
  const attacks: Record<string, () => Lies | Promise<Lies>> = {
    "by a token without a nonce": () => ({ claims: { nonce: undefined } }),
    "by a token with another sign-in's nonce": () => ({ claims: { nonce: "another" } }),
    "by a token for another audience": () => ({ claims: { aud: "other-client" } }),
    "by a token for two audiences that names no authorized party": () => ({
      claims: { aud: ["sluice", "other"] },
    }),
    "by a token whose authorized party is another client": () => ({
      claims: { aud: ["sluice", "o"], azp: "o" },
    }),
    "by a token of another issuer": () => ({ claims: { iss: "https://evil.example" } }),
    "by a token of an issuer that only looks alike": () => ({ claims: { iss: "https://idp.example/" } }),
    "by an expired token": () => ({ claims: { exp: now - 3600, iat: now - 7200 } }),
    "by a token that never expires": () => ({ claims: { exp: undefined } }),
    "by a token from the future": () => ({ claims: { nbf: now + 3600 } }),
    "by a token without a subject": () => ({ claims: { sub: undefined } }),
    "by a token whose subject is no well-formed text": () => ({ claims: { sub: "a\ud800" } }),
    "by a token with an empty subject": () => ({ claims: { sub: "" } }),
    "by algorithm none": () => ({ idToken: (token) => unsigned(token, { alg: "none" }) }),
    "by algorithm none, even where the provider lists it": () => ({
      metadata: { id_token_signing_alg_values_supported: ["none", "RS256"] },
      idToken: (token) => unsigned(token, { alg: "none" }),
    }),
    "by HS256 with the public key as its secret": hmacWithPublicKey,
    "by HS256 with the public key, even where the provider lists HS256": async () => ({
      ...(await hmacWithPublicKey()),
      metadata: { id_token_signing_alg_values_supported: ["HS256", "RS256"] },
    }),
    "by a key that the provider does not publish": () => ({ signWith: otherKey.privateKey }),
    "by a key id that the provider does not publish": () => ({ header: { alg: "RS256", kid: "k9" } }),
    "by a key that the provider has withdrawn": async () => ({
      keys: [{ ...(await new LyingProvider(otherKey).publicKey()), kid: "k2" }],
    }),
    "by a key published for encryption": async () => ({
      keys: [{ ...(await new LyingProvider(key).publicKey()), use: "enc" }],
    }),
    "by a token whose claims were changed after signing": () => ({
      idToken: (token) => withClaims(token, { sub: "admin" }),
    }),
    "by a signature that was cut off": () => ({
      idToken: (token) => `${token.split(".").slice(0, 2).join(".")}.`,
    }),
    "by an answer without an ID token": () => ({ idToken: () => undefined }),
    "by a provider that refuses the code": () => ({ tokenStatus: 400 }),
    "by a provider that now says it is another": () => ({ metadata: { issuer: "https://evil.example" } }),
    "by a key set at a plain http address": () => ({ metadata: { jwks_uri: "http://idp.example/keys" } }),
    "by a token endpoint at a plain http address": () => ({
      metadata: { token_endpoint: "http://idp.example/token" },
    }),
    "by an answer longer than any token": () => ({ tokenBody: { padding: "x".repeat(300_000) } }),
  };

  test.each(Object.entries(attacks))("%s", async (_, lies) => {
    expect(await signInWith(await lies())).toMatchObject({ ok: false });
  });

  const returns: Record<string, (returned: URLSearchParams) => void> = {
    "by another sign-in's state": (returned) => returned.set("state", "another"),
    "by a return without a state": (returned) => returned.delete("state"),
    "by two states": (returned) => returned.append("state", "another"),
    "by a code that the provider did not give": (returned) => returned.set("code", "guessed"),
    "by two codes": (returned) => returned.append("code", "guessed"),
    "by a return without a code": (returned) => returned.delete("code"),
    "by a return that names another issuer": (returned) => returned.set("iss", "https://evil.example"),
    "by a return without the issuer that the provider always names": (returned) => returned.delete("iss"),
    "by a return that says the person declined": (returned) => returned.set("error", "access_denied"),
  };

  test.each(Object.entries(returns))("%s", async (_, change) => {
    const provider = new LyingProvider(key);
    const { attempt, returned } = await start(provider);
    change(returned);
    expect(await finishOidc(CONNECTION, attempt, returned, provider)).toMatchObject({ ok: false });
  });

  test("by a code that was redeemed before", async () => {
    const provider = new LyingProvider(key);
    const { attempt, returned } = await start(provider);
    expect(await finishOidc(CONNECTION, attempt, returned, provider)).toMatchObject({ ok: true });
    expect(await finishOidc(CONNECTION, attempt, returned, provider)).toMatchObject({ ok: false });
  });

  test("by a code with another sign-in's verifier", async () => {
    const provider = new LyingProvider(key);
    const { attempt, returned } = await start(provider);
    const verifier = "v".repeat(43);
    expect(await finishOidc(CONNECTION, { ...attempt, verifier }, returned, provider)).toMatchObject({
      ok: false,
    });
  });

  test("by a code of the honest provider if the sign-in started at another (mix-up), and the code is not redeemed", async () => {
    const evil = new LyingProvider(otherKey, "https://evil.example");
    const started = await startOidc({ ...CONNECTION, issuer: evil.issuer }, begin(), evil);
    if (!started.ok) throw new Error(started.failure);
    const honest = new LyingProvider(key).authorize(started.url);
    const answer = await finishOidc({ ...CONNECTION, issuer: evil.issuer }, started.attempt, honest, evil);
    expect(answer).toEqual({ ok: false, failure: "response_not_for_us" });
    expect(evil.calls.filter((call) => call.startsWith("POST"))).toEqual([]);
  });

  test("by a return after the org's connection changed", async () => {
    const provider = new LyingProvider(key);
    const { attempt, returned } = await start(provider);
    const changed = { ...CONNECTION, clientId: "another" };
    expect(await finishOidc(changed, attempt, returned, provider)).toEqual({
      ok: false,
      failure: "connection_changed",
    });
  });

  test("and the browser is not redirected if the provider names a script as its URL", async () => {
    const provider = new LyingProvider(key);
    for (const address of ["javascript:alert(1)", "data:text/html,x", "http://idp.example/authorize"]) {
      provider.lies = { metadata: { authorization_endpoint: address } };
      expect(await startOidc(CONNECTION, begin(), provider)).toMatchObject({ ok: false });
    }
  });
});

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function unsigned(token: string, header: object): string {
  return `${part(header)}.${token.split(".")[1]}.`;
}

function withClaims(token: string, changed: object): string {
  const [header, claims = "", signature] = token.split(".");
  const told: object = JSON.parse(Buffer.from(claims, "base64url").toString());
  return `${header}.${part({ ...told, ...changed })}.${signature}`;
}

async function hmacWithPublicKey(): Promise<Lies> {
  const spki = await crypto.subtle.exportKey("spki", key.publicKey);
  const pem = `-----BEGIN PUBLIC KEY-----\n${Buffer.from(spki).toString("base64")}\n-----END PUBLIC KEY-----\n`;
  return { signWith: new TextEncoder().encode(pem), header: { alg: "HS256", kid: "k1" } };
}
