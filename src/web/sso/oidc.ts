import * as oauth from "oauth4webapi";

import { type SignIn, type SignInRefused, acceptIdentity, signInRefused } from "../identity.ts";
import { discover, type OidcConnection, type Provider, type ProviderAccess } from "./provider.ts";

/** State between sending the browser to the provider and its return. It can be used once. */
export interface OidcAttempt {
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export type OidcStart =
  | { readonly ok: true; readonly url: string; readonly attempt: OidcAttempt }
  | SignInRefused;

export async function startOidc(
  connection: OidcConnection,
  { redirectUri, state }: { readonly redirectUri: string; readonly state: string },
  access: ProviderAccess,
): Promise<OidcStart> {
  if (!access.mayVisit(connection.issuer)) return signInRefused("address_refused");
  const provider = await discover(connection, access).catch(() => null);
  const endpoint = provider?.server.authorization_endpoint;
  if (endpoint === undefined) return signInRefused("provider_unreachable");
  if (!isWebAddress(endpoint, access)) return signInRefused("address_refused");
  const attempt: OidcAttempt = {
    issuer: connection.issuer,
    clientId: connection.clientId,
    redirectUri,
    state,
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
  };
  const url = new URL(endpoint);
  url.searchParams.set("client_id", connection.clientId);
  url.searchParams.set("response_type", "code");
  url.searchParams.set("redirect_uri", redirectUri);
  url.searchParams.set("scope", "openid email profile");
  url.searchParams.set("state", attempt.state);
  url.searchParams.set("nonce", attempt.nonce);
  url.searchParams.set("code_challenge", await oauth.calculatePKCECodeChallenge(attempt.verifier));
  url.searchParams.set("code_challenge_method", "S256");
  return { ok: true, url: url.href, attempt };
}

/** A provider must not send the browser to a `javascript:` or `data:` URL, or into a private network. */
function isWebAddress(address: string, access: ProviderAccess): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol } = new URL(address);
  return (protocol === "https:" || (access.allowHttp && protocol === "http:")) && access.mayVisit(address);
}

/**
 * The browser has returned. The library makes every check: state, issuer, code and verifier, signature, claims, nonce.
 */
export async function finishOidc(
  connection: OidcConnection,
  attempt: OidcAttempt,
  returned: URLSearchParams,
  access: ProviderAccess,
): Promise<SignIn> {
  if (attempt.issuer !== connection.issuer || attempt.clientId !== connection.clientId) {
    return signInRefused("connection_changed");
  }
  const provider = await discover(connection, access).catch(() => null);
  if (provider === null) return signInRefused("provider_unreachable");
  let parameters: URLSearchParams;
  try {
    parameters = oauth.validateAuthResponse(provider.server, provider.client, returned, attempt.state);
  } catch (error) {
    return signInRefused(
      error instanceof oauth.AuthorizationResponseError ? "provider_refused" : "response_not_for_us",
    );
  }
  const answer = await redeem(provider, attempt, parameters).catch(() => null);
  if (answer === null) return signInRefused("provider_unreachable");
  return readIdToken(provider, attempt, answer);
}

function redeem(provider: Provider, attempt: OidcAttempt, parameters: URLSearchParams): Promise<Response> {
  const { server, client, authentication, http } = provider;
  return oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    parameters,
    attempt.redirectUri,
    attempt.verifier,
    http,
  );
}

async function readIdToken(provider: Provider, attempt: OidcAttempt, answer: Response): Promise<SignIn> {
  const { server, client, http } = provider;
  let claims: oauth.IDToken | undefined;
  try {
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, {
      expectedNonce: attempt.nonce,
      requireIdToken: true,
    });
    claims = oauth.getValidatedIdTokenClaims(tokens);
  } catch (error) {
    return signInRefused(error instanceof oauth.ResponseBodyError ? "provider_refused" : "token_invalid");
  }
  if (claims === undefined || claims.sub === "" || claims.sub.length > 255)
    return signInRefused("token_invalid");
  try {
    await oauth.validateApplicationLevelSignature(server, answer, http);
  } catch {
    return signInRefused("signature_invalid");
  }
  return acceptIdentity({
    subject: claims.sub,
    email: claims["email_verified"] === false ? null : text(claims["email"]),
    name: text(claims["name"]),
    role: text(claims["svc_role"]),
  });
}

function text(claim: unknown): string | null {
  return typeof claim === "string" && claim !== "" ? claim.slice(0, 256) : null;
}
