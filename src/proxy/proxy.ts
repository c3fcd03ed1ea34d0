import { checkOtherPaths } from "../adapters/other-paths.ts";
import { refusalOf } from "../adapters/refusal-response.ts";
import { bodyTimer } from "../body-timer.ts";
import type { WireRefusal } from "../providers/wire-refusal.ts";
import { type AdmittedCall, notServed } from "./attempt.ts";
import { Breakers } from "./breakers.ts";
import { readCallerHeaders } from "./call-fields.ts";
import { fieldsOf } from "./caller-rights.ts";
import { accessTo, type Credentials, credentialsIn } from "./credentials.ts";
import { PROXIED_HEADER } from "./headers.ts";
import { KeyGates } from "./key-gates.ts";
import type { ProxyOptions } from "./options.ts";
import { type OrgKey, PROVIDER_KEY_HEADER } from "./org-keys.ts";
import { type OwnAnswer, ownAnswer } from "./own-answer.ts";
import { ProxyBodies } from "./request-body.ts";
import { type ServedProviders, servedProviders } from "./served-providers.ts";
import { serviceOf } from "./served-call.ts";
import { isBaseUrl, type Target, targetOf } from "./target.ts";
import { type Context, serve } from "./tries.ts";

export type { Context } from "./tries.ts";

export interface Proxy {
  fetch(request: Request, context: Context): Promise<Response>;
}

/** A proxy before the APIs of providers. Whoever calls it brings a Sluice key, and never sees the provider's. */
export function createProxy(options: ProxyOptions): Proxy {
  checkOtherPaths(options.otherPaths ?? {}, "otherPaths");
  const providers = servedProviders(options);
  const gates = new KeyGates(options);
  const breakers = new Breakers();
  const bodies = new ProxyBodies(options, bodyTimer);
  return {
    fetch: async (request, context) => {
      const startedAt = Date.now();
      const { log } = options;
      const { method } = request;
      const { pathname } = new URL(request.url);
      // It says only that there is a proxy, which a 404 would say, too, with a line in the log.
      if (method === "HEAD" && isBaseUrl(pathname, providers)) return new Response(null, { status: 204 });
      const target = targetOf(pathname, providers);
      if ("code" in target) return ownAnswer(target, { method, target: null, startedAt, log });
      if (request.headers.has(PROXIED_HEADER)) return ownAnswer(LOOP, { method, target, startedAt, log });
      const answer = await govern({ request, context, target, providers, gates, breakers, bodies, options });
      return answer instanceof Response ? answer : ownAnswer(answer, { method, target, startedAt, log });
    },
  };
}

interface ProxiedRequest {
  readonly request: Request;
  readonly context: Context;
  readonly target: Target;
  readonly providers: ServedProviders;
  readonly gates: KeyGates;
  readonly breakers: Breakers;
  readonly bodies: ProxyBodies;
  readonly options: ProxyOptions;
}

/** A call whose caller, provider and path are known, and whose body is not. */
type IdentifiedCall = Pick<AdmittedCall, "gate" | "own" | "chosen" | "service" | "says">;

async function govern(governing: ProxiedRequest): Promise<Response | OwnAnswer> {
  const known = admit(governing);
  if ("code" in known) return known;
  const { gate } = known;
  const { request, target, providers, gates, bodies, options, context } = governing;
  try {
    if (!gates.hasRoomFor(gate)) return FULL;
    const fields = await fieldsOf(known.says, gate, options);
    if ("code" in fields) return { ...fields, by: { key: gate.key, ask: {} } };
    const offered = await offeredTo(known, target);
    if ("code" in offered) return offered;
    const body = await bodies.read(request, gate);
    if ("code" in body) return body;
    try {
      const { bytes } = body;
      const { breakers } = governing;
      const admitted = { ...known, ...offered, request, target, providers, breakers, options, fields, bytes };
      return await serve(admitted, context);
    } finally {
      body.release();
    }
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return refusal;
  } finally {
    context.waitUntil(gates.keep(gate));
  }
}

/** Everything that can be refused before a body is read. */
function admit({ request, target, gates, options }: ProxiedRequest): IdentifiedCall | WireRefusal {
  const { key, own }: Credentials = credentialsIn(request.headers, options.ownKeys === true);
  const chosen = request.headers.get(PROVIDER_KEY_HEADER);
  if (chosen !== null && chosen !== target.name && !chosen.startsWith(`${target.name}/`))
    return badRequest(`${PROVIDER_KEY_HEADER} must be ${target.name}, or that with a suffix.`);
  if (request.headers.has("upgrade")) return badRequest("WebSockets are not governed. Use HTTP.");
  const gate = key === null ? null : gates.gateOf(key);
  if (gate === null) return UNAUTHORIZED;
  if (options.orgs !== "*" && !options.orgs.includes(gate.orgId) && !options.orgs.includes(gate.keyId))
    return NOT_OURS;
  const service = serviceOf(request.method, target, options);
  if ("code" in service) return service;
  const says = readCallerHeaders(request.headers);
  return "code" in says ? says : { gate, own, chosen, service, says };
}

/** The org's key for a call. Where there is none at all, nothing need be read. */
async function offeredTo(
  { gate, own, chosen }: IdentifiedCall,
  target: Target,
): Promise<{ readonly orgKey: OrgKey | null } | WireRefusal> {
  const orgKey = own === null ? await gate.orgKey(chosen ?? target.name) : null;
  if (own === null && chosen !== null && orgKey === null) return noSuchKey(chosen);
  return accessTo(target, { own, orgKey }) === null ? notServed(target.name) : { orgKey };
}

const UNAUTHORIZED: WireRefusal = {
  status: 401,
  code: "unauthorized",
  message: "No valid API key was sent. Send your Sluice key as `Authorization: Bearer` or as `x-api-key`.",
  details: {},
};

const FULL: WireRefusal = {
  status: 503,
  code: "service_unavailable",
  message: "Too many runs of your organization's calls wait here to be reported. Try again in a moment.",
  details: {},
  retryAfterMs: 5000,
};

const NOT_OURS: WireRefusal = {
  status: 403,
  code: "forbidden",
  message:
    "This proxy does not serve your organization. Its operator names those that it serves in PROXY_ORGS.",
  details: {},
};

const LOOP: WireRefusal = {
  status: 508,
  code: "loop_detected",
  message:
    "This call came from a Sluice proxy, which a proxy does not send on. The address of the provider, or the base_url of your organization's key for it, leads back to a proxy: set the provider's own.",
  details: {},
};

function noSuchKey(name: string): WireRefusal {
  const message = `Your organization has no key ${name} that this proxy can use. An admin sets it at /v1/orgs/{id}/provider-keys/${name}.`;
  return { status: 404, code: "not_found", message, details: {} };
}

function badRequest(message: string): WireRefusal {
  return { status: 400, code: "bad_request", message, details: {} };
}
