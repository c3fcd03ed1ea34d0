import * as oauth from "oauth4webapi";
import { bodyTimer } from "../../body-timer.ts";
import { readStream } from "../../domain/body/read.ts";

export interface OidcConnection {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** How this Worker reaches the provider. */
export interface ProviderAccess {
  readonly send: (request: Request) => Promise<Response>;
  /** Plain http, for a provider on the same machine as a local server. */
  readonly allowHttp: boolean;
  /** True if people may be sent to this address. */
  readonly mayVisit: (address: string) => boolean;
}

const TIMEOUT_MS = 10_000;
/** Discovery documents and key sets have a few kilobytes. Anything larger is refused. */
const MAX_BYTES = 256 * 1024;

export interface Provider {
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly authentication: oauth.ClientAuth;
  readonly http: { [oauth.customFetch]: Send; [oauth.allowInsecureRequests]: boolean };
}

type Send = (
  url: string,
  options: { readonly method: string; readonly headers: Record<string, string>; readonly body?: unknown },
) => Promise<Response>;

/** Keeps a slow or endless answer from holding a request open. Redirects are not followed. */
function bounded(send: ProviderAccess["send"]): Send {
  return async (url, { method, headers, body }) => {
    const content = body instanceof URLSearchParams ? body : null;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await send(
      new Request(url, { method, headers, body: content, redirect: "manual", signal }),
    );
    const bytes =
      answer.body === null
        ? new Uint8Array(0)
        : await readStream(answer.body, MAX_BYTES, { timer: bodyTimer, deadlineMs: TIMEOUT_MS });
    if (bytes === null) throw new RangeError("the provider's answer is too long");
    return new Response(bytes, { status: answer.status, headers: answer.headers });
  };
}

/**
 * Fetches the provider's metadata. It is fetched for each sign-in, including keys, so that a provider can rotate its
 * keys at any time and a withdrawn key is never accepted.
 */
export async function discover(connection: OidcConnection, access: ProviderAccess): Promise<Provider> {
  const http = { [oauth.customFetch]: bounded(access.send), [oauth.allowInsecureRequests]: access.allowHttp };
  const issuer = new URL(connection.issuer);
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, http));
  const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const authentication = methods.includes("client_secret_basic")
    ? oauth.ClientSecretBasic(connection.clientSecret)
    : oauth.ClientSecretPost(connection.clientSecret);
  return { server, client: { client_id: connection.clientId }, authentication, http };
}
