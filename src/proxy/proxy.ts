import { begin, type GovernedCall } from "../adapters/governed-call.ts";
import { checkOtherPaths } from "../adapters/other-paths.ts";
import { refusalOf } from "../adapters/refusal-response.ts";
import { USUAL_LEAVE } from "../adapters/settled-body.ts";
import type { WireRefusal } from "../providers/wire-refusal.ts";
import { badGateway } from "./answer.ts";
import { type CallerSays, callerSays } from "./call-fields.ts";
import { fieldsOf } from "./caller-rights.ts";
import {
  type Access,
  accessTo,
  type Credentials,
  credentialsIn,
  secretsIn,
  servesModel,
} from "./credentials.ts";
import { headersTo } from "./headers.ts";
import type { KeyGate } from "./key-gate.ts";
import { KeyGates } from "./key-gates.ts";
import type { ProxyOptions } from "./options.ts";
import { type OrgKey, PROVIDER_KEY_HEADER } from "./org-keys.ts";
import { type OwnAnswer, ownAnswer } from "./own-answer.ts";
import { relay } from "./relay.ts";
import { BodyMemory, readWithin } from "./request-body.ts";
import { servedProviders } from "./served-providers.ts";
import { type ServedCall, servedCall, type Service, serviceOf } from "./served-call.ts";
import { type Target, targetOf } from "./target.ts";
import { Watch } from "./watch.ts";

/** What a proxy needs of the runtime: work that goes on after the response. */
export interface Context {
  waitUntil(work: Promise<unknown>): void;
}

export interface Proxy {
  fetch(request: Request, context: Context): Promise<Response>;
}

const USUAL = {
  mostBodyBytes: 33_554_432,
  mostBodiesBytes: 67_108_864,
  bodyTimeoutMs: 60_000,
  longestSilenceMs: 600_000,
  longestAnswerMs: 3_600_000,
} as const;

/** A proxy before the APIs of providers. Whoever calls it brings a Sluice key, and never sees the provider's. */
export function createProxy(options: ProxyOptions): Proxy {
  checkOtherPaths(options.otherPaths ?? {}, "otherPaths");
  const providers = servedProviders(options);
  const gates = new KeyGates(options);
  const memory = new BodyMemory(options.mostBodiesBytes ?? USUAL.mostBodiesBytes);
  return {
    fetch: async (request, context) => {
      const startedAt = Date.now();
      const { log } = options;
      const { method } = request;
      const target = targetOf(new URL(request.url).pathname, providers);
      if ("code" in target) return ownAnswer(target, { method, target: null, startedAt, log });
      const answer = await govern({ request, context, target, gates, memory, options });
      return answer instanceof Response ? answer : ownAnswer(answer, { method, target, startedAt, log });
    },
  };
}

interface Governing {
  readonly request: Request;
  readonly context: Context;
  readonly target: Target;
  readonly gates: KeyGates;
  readonly memory: BodyMemory;
  readonly options: ProxyOptions;
}

/** A call whose caller, provider and path are known, and whose body is not. */
interface Admitted {
  readonly gate: KeyGate;
  /** The caller's own key of the provider. */
  readonly own: Credentials["own"];
  /** The org's key that the caller chose by its name. Null: it chose none. */
  readonly chosen: string | null;
  readonly service: Service;
  readonly says: CallerSays;
}

async function govern(governing: Governing): Promise<Response | OwnAnswer> {
  const admitted = admit(governing);
  if ("code" in admitted) return admitted;
  const { gate } = admitted;
  const { request, gates, memory, options, context } = governing;
  try {
    const fields = await fieldsOf(admitted.says, gate, options);
    if ("code" in fields) return { ...fields, by: { key: gate.key, ask: {} } };
    const offered = await offeredTo(admitted, governing.target);
    if ("code" in offered) return offered;
    const body = await readWithin(request, {
      mostBytes: options.mostBodyBytes ?? USUAL.mostBodyBytes,
      timeoutMs: options.bodyTimeoutMs ?? USUAL.bodyTimeoutMs,
      memory,
      prove: () => gate.prove(),
    });
    if ("code" in body) return body;
    try {
      return await serve(governing, { ...admitted, ...offered }, { bytes: body.bytes, fields });
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
function admit({ request, target, gates, options }: Governing): Admitted | WireRefusal {
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
  const says = callerSays(request.headers);
  return "code" in says ? says : { gate, own, chosen, service, says };
}

/** The org's key for a call. Where there is none at all, nothing need be read. */
async function offeredTo(
  { gate, own, chosen }: Admitted,
  target: Target,
): Promise<{ readonly orgKey: OrgKey | null } | WireRefusal> {
  const orgKey = own === null ? await gate.orgKeys.get(chosen ?? target.name) : null;
  if (own === null && chosen !== null && orgKey === null) return noSuchKey(chosen);
  return accessTo(target, { own, orgKey }) === null ? notServed(target.name) : { orgKey };
}

/** The key that a call of this model goes with. One that was chosen serves the call, or nothing does. */
function accessFor(
  { own, orgKey, chosen }: Admitted & { readonly orgKey: OrgKey | null },
  target: Target,
  model: string | undefined,
): Access | WireRefusal {
  const serves = orgKey !== null && servesModel(orgKey, model);
  if (own === null && chosen !== null && !serves)
    return forbidden(`The key ${chosen} of your organization does not serve this model.`);
  return accessTo(target, { own, orgKey: serves ? orgKey : null }) ?? notServed(target.name);
}

async function serve(
  governing: Governing,
  admitted: Admitted & { readonly orgKey: OrgKey | null },
  { bytes, fields }: { bytes: Uint8Array<ArrayBuffer>; fields: CallerSays["fields"] },
): Promise<Response | OwnAnswer> {
  const { request, target, options, context } = governing;
  const { gate, service } = admitted;
  const { estimateUsd } = admitted.says;
  const { headers } = request;
  const query = new URLSearchParams(searchOf(request, target));
  const served = await servedCall({ target, service, headers, query, bytes, fields, estimateUsd }, options);
  const by = { key: gate.key, ask: served.ask };
  const access = accessFor(admitted, target, served.ask.model);
  if ("code" in access) return { ...access, by };
  let call: GovernedCall;
  try {
    call = await begin({
      gate,
      ask: { on_expiry: options.onExpiry, ...served.ask },
      metered: served.metered,
      trustsCost: options.trustsCost?.includes(target.name),
      waitUntil: (work) => context.waitUntil(work),
    });
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return refusal.status === 401 ? refusal : { ...refusal, by };
  }
  const answer = await send(governing, { access, call, served });
  return answer instanceof Response ? answer : { ...answer, by };
}

function send(
  { request, context, target, options }: Governing,
  { access, call, served }: { access: Access; call: GovernedCall; served: ServedCall },
): Promise<Response | WireRefusal> {
  const { longestSilenceMs = USUAL.longestSilenceMs, longestAnswerMs = USUAL.longestAnswerMs } = options;
  const watch = new Watch(longestSilenceMs, longestAnswerMs);
  // A Worker ends with its caller, unless there is work that it waits for.
  context.waitUntil(call.ended);
  const { contentType = request.headers.get("content-type") } = served;
  const maxOutputTokens = call.outputBound;
  const init: RequestInit = {
    method: request.method,
    headers: headersTo({ added: access.headers, contentType }, request.headers),
    redirect: "manual",
    signal: watch.signal,
    body: served.write(maxOutputTokens),
  };
  const to = access.url.replace(/\/+$/, "") + target.path + searchOf(request, target);
  const { leaveGraceMs = USUAL_LEAVE.graceMs, onLeave } = options;
  return relay({
    call,
    api: served.api,
    secrets: secretsIn(access.headers),
    keyOf: access.keyOf,
    maxOutputTokens,
    showsUsageEvent: served.metered?.request.showsUsageEvent !== false,
    leave: { graceMs: leaveGraceMs, readsToEnd: onLeave === "finish" },
    watch,
    gone: request.signal,
    send: () => (options.fetch ?? fetch)(to, init),
  }).catch(() => badGateway("The provider's answer could not be relayed."));
}

const UNAUTHORIZED: WireRefusal = {
  status: 401,
  code: "unauthorized",
  message: "No valid API key was sent. Send your Sluice key as `Authorization: Bearer` or as `x-api-key`.",
  details: {},
};

const NOT_OURS: WireRefusal = {
  status: 403,
  code: "forbidden",
  message:
    "This proxy does not serve your organization. Its operator names those that it serves in PROXY_ORGS.",
  details: {},
};

/** The query as it came, but for a key in it: a Sluice key goes to no provider. */
function searchOf({ url }: Request, { provider: { keyParameter = "" } }: Target): string {
  const { search, searchParams } = new URL(url);
  if (!searchParams.has(keyParameter)) return search;
  searchParams.delete(keyParameter);
  return searchParams.size === 0 ? "" : `?${searchParams.toString()}`;
}

function notServed(provider: string): WireRefusal {
  const message = `This proxy is not set up for ${provider}. Its operator sets a key, and an address where the provider has none of its own.`;
  return { status: 404, code: "not_found", message, details: {} };
}

function noSuchKey(name: string): WireRefusal {
  const message = `Your organization has no key ${name} that this proxy can use. An admin sets it at /v1/orgs/{id}/provider-keys/${name}.`;
  return { status: 404, code: "not_found", message, details: {} };
}

function forbidden(message: string): WireRefusal {
  return { status: 403, code: "forbidden", message, details: {} };
}

function badRequest(message: string): WireRefusal {
  return { status: 400, code: "bad_request", message, details: {} };
}
