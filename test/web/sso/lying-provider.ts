import { exportJWK, generateKeyPair, SignJWT } from "jose";

import type { OidcConnection, ProviderAccess } from "../../../src/web/sso/provider.ts";

type Claims = Record<string, unknown>;

export interface Lies {
  readonly metadata?: Claims;
  readonly claims?: Claims;
  readonly header?: { alg: string; kid?: string };
  /** Signs with something other than the provider's key. */
  readonly signWith?: CryptoKey | Uint8Array;
  readonly idToken?: (genuine: string) => string | undefined;
  readonly tokenStatus?: number;
  readonly tokenBody?: Claims;
  readonly keys?: unknown[];
}

export const CONNECTION: OidcConnection = {
  issuer: "https://idp.example",
  clientId: "sluice",
  clientSecret: "s3cret",
};

export type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

export function newKey(): Promise<KeyPair> {
  return generateKeyPair("RS256", { extractable: true });
}

/**
 * A provider that follows the protocol (one code, bound to its verifier, client and redirect URI) and lies only as
 * told, so that each test is about one lie.
 */
export class LyingProvider implements ProviderAccess {
  readonly allowHttp = false;
  readonly mayVisit = (): boolean => true;
  readonly key: KeyPair;
  readonly issuer: string;
  readonly calls: string[] = [];
  lies: Lies = {};
  nonce = "";
  #code: { value: string; challenge: string; redirectUri: string } | null = null;

  constructor(key: KeyPair, issuer = CONNECTION.issuer) {
    this.key = key;
    this.issuer = issuer;
  }

  /** The person signs in. The provider sends the browser back with these parameters. */
  authorize(url: string): URLSearchParams {
    const asked = new URL(url).searchParams;
    this.nonce = asked.get("nonce") ?? "";
    this.#code = {
      value: crypto.randomUUID(),
      challenge: asked.get("code_challenge") ?? "",
      redirectUri: asked.get("redirect_uri") ?? "",
    };
    return new URLSearchParams({
      code: this.#code.value,
      state: asked.get("state") ?? "",
      iss: this.issuer,
    });
  }

  send = async (request: Request): Promise<Response> => {
    const { pathname, origin } = new URL(request.url);
    this.calls.push(`${request.method} ${origin}${pathname}`);
    if (origin !== this.issuer) return new Response("unreachable", { status: 502 });
    if (pathname === "/.well-known/openid-configuration") return Response.json(this.#metadata());
    if (pathname === "/keys") return Response.json({ keys: this.lies.keys ?? [await this.publicKey()] });
    if (pathname === "/token")
      return this.#token(new URLSearchParams(new TextDecoder().decode(await request.arrayBuffer())));
    return new Response("no", { status: 404 });
  };

  async publicKey(): Promise<Claims> {
    return { ...(await exportJWK(this.key.publicKey)), kid: "k1", use: "sig", alg: "RS256" };
  }

  #metadata(): Claims {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/keys`,
      authorization_response_iss_parameter_supported: true,
      id_token_signing_alg_values_supported: ["RS256"],
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      ...this.lies.metadata,
    };
  }

  async #token(form: URLSearchParams): Promise<Response> {
    if (this.lies.tokenStatus)
      return Response.json({ error: "invalid_grant" }, { status: this.lies.tokenStatus });
    const code = this.#code;
    this.#code = null;
    const digest = await crypto.subtle.digest(
      "SHA-256",
      new TextEncoder().encode(form.get("code_verifier") ?? ""),
    );
    const challenge = Buffer.from(digest).toString("base64url");
    const genuine =
      code !== null &&
      form.get("code") === code.value &&
      challenge === code.challenge &&
      form.get("redirect_uri") === code.redirectUri;
    if (!genuine) return Response.json({ error: "invalid_grant" }, { status: 400 });
    const idToken = (this.lies.idToken ?? ((token: string) => token))(await this.#idToken());
    return Response.json({
      access_token: "at",
      token_type: "Bearer",
      id_token: idToken,
      ...this.lies.tokenBody,
    });
  }

  #idToken(): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: this.issuer,
      aud: CONNECTION.clientId,
      sub: "user-1",
      email: "ada@example.com",
      name: "Ada",
      nonce: this.nonce,
      iat: now,
      exp: now + 300,
      ...this.lies.claims,
    };
    return new SignJWT(claims)
      .setProtectedHeader(this.lies.header ?? { alg: "RS256", kid: "k1" })
      .sign(this.lies.signWith ?? this.key.privateKey);
  }
}
