import type { NextModel } from "../adapters/fallbacks.ts";
import type { GovernedCall } from "../adapters/governed-call.ts";
import { USUAL_LEAVE } from "../adapters/settled-body.ts";
import type { WireRefusal } from "../providers/wire-refusal.ts";
import { badGateway } from "./answer.ts";
import { signRequest } from "./aws-signature.ts";
import type { Breakers } from "./breakers.ts";
import type { CallerHeaders } from "./call-fields.ts";
import { type Access, accessTo, type Credentials, secretsIn, servesModel } from "./credentials.ts";
import { headersTo } from "./headers.ts";
import type { KeyGate } from "./key-gate.ts";
import { withoutOwnModels } from "./model-list.ts";
import type { ProxyOptions } from "./options.ts";
import type { OrgKey } from "./org-keys.ts";
import { type Relay, relay } from "./relay.ts";
import { type ServedCall, readServedCall, type Service } from "./served-call.ts";
import type { ServedProviders } from "./served-providers.ts";
import type { Target } from "./target.ts";
import { Watch } from "./watch.ts";

/** A call whose caller, provider and path are known, and whose body was read. */
export interface AdmittedCall {
  readonly gate: KeyGate;
  readonly request: Request;
  readonly target: Target;
  readonly service: Service;
  /** The caller's own key of the provider. */
  readonly own: Credentials["own"];
  /** The org's key that the caller chose by its name. Null: it chose none. */
  readonly chosen: string | null;
  /** The org's key of the provider. */
  readonly orgKey: OrgKey | null;
  readonly says: CallerHeaders;
  readonly fields: CallerHeaders["fields"];
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly providers: ServedProviders;
  readonly breakers: Breakers;
  readonly options: ProxyOptions;
}

/** One way to make a call. */
export interface Attempt {
  readonly target: Target;
  readonly served: ServedCall;
  /** How it gets there, or why it does not. */
  readonly access: Access | WireRefusal;
}

/** One that can be made. */
export type PossibleAttempt = Attempt & { readonly access: Access };

/** The call as it was asked for. Throws `Unmetered`. */
export async function ownAttempt(admitted: AdmittedCall): Promise<Attempt> {
  const { target, service, orgKey } = admitted;
  const served = await servedAt(admitted, target, service, undefined);
  return { target, served, access: accessFor(admitted, { target, orgKey, model: served.ask.model }) };
}

/**
 * The same call of another model. Null where it cannot be made: the provider is not served here, or not by this API; its body
 * is not metered there; or there is no key for it. A key that the caller brought or chose goes to its own provider only.
 */
export async function attemptWith(admitted: AdmittedCall, next: NextModel): Promise<PossibleAttempt | null> {
  const { service, gate, own, chosen } = admitted;
  if (service.api === null) return null;
  const target = targetFor(admitted, next);
  if (target === null) return null;
  const isElsewhere = target.name !== admitted.target.name;
  if (isElsewhere && (own !== null || chosen !== null)) return null;
  const route = target.provider.route("POST", target.path);
  if (route.kind !== "metered") return null;
  try {
    const orgKey = isElsewhere ? await gate.orgKey(target.name) : admitted.orgKey;
    const served = await servedAt(admitted, target, route, next.model);
    const access = accessFor(admitted, { target, orgKey, model: served.ask.model });
    return "code" in access ? null : { target, served, access };
  } catch {
    return null;
  }
}

/** Names that stand in a path as they are. */
const IN_PATH = /^[\w@:-][\w.@:-]*$/;

function targetFor(
  { target, service, providers }: AdmittedCall,
  { model, provider }: NextModel,
): Target | null {
  const served = provider === null ? target : servedNamed(providers, provider);
  if (service.api === null || served === undefined) return null;
  const isSame = served.name === target.name;
  if (isSame && service.pathModel === null) return target;
  const path = isSame ? service.pathFor(model) : served.provider.pathLike(service.api, target.path, model);
  const isAmbiguous = path?.includes(encodeURIComponent(model)) === true && !IN_PATH.test(model);
  return path === null || isAmbiguous ? null : { ...served, path };
}

/** By its prefix, or by its name in the price book. */
function servedNamed(providers: ServedProviders, name: string): Omit<Target, "path"> | undefined {
  return providers.get(name) ?? [...providers.values()].find(({ provider }) => provider.prices === name);
}

function servedAt(
  { request, bytes, fields, says, options, target: own }: AdmittedCall,
  target: Target,
  service: Service,
  model: string | undefined,
): Promise<ServedCall> {
  const { headers } = request;
  const { estimateUsd } = says;
  const query = new URLSearchParams(searchAt(request, { target, own }));
  return readServedCall({ target, service, headers, query, bytes, fields, estimateUsd, model }, options);
}

/** The key that a call of this model goes with. One that was chosen serves the call, or nothing does. */
function accessFor(
  { own, chosen }: AdmittedCall,
  { target, orgKey, model }: { target: Target; orgKey: OrgKey | null; model: string | undefined },
): Access | WireRefusal {
  const serves = orgKey !== null && servesModel(orgKey, model);
  if (own === null && chosen !== null && !serves)
    return forbidden(`The key ${chosen} of your organization does not serve this model.`);
  return accessTo(target, { own, orgKey: serves ? orgKey : null }) ?? notServed(target.name);
}

const USUAL = { longestSilenceMs: 600_000, longestAnswerMs: 3_600_000 } as const;

/** Makes a call that was allowed. It is settled whichever way it ends. */
export async function send(
  { request, options, service, target: own }: AdmittedCall,
  { target, served, access }: PossibleAttempt,
  call: GovernedCall,
): Promise<Relay> {
  const { longestSilenceMs = USUAL.longestSilenceMs, longestAnswerMs = USUAL.longestAnswerMs } = options;
  const watch = new Watch(longestSilenceMs, longestAnswerMs);
  const { contentType = request.headers.get("content-type") } = served;
  const { bounds } = call;
  const { maxOutputTokens } = bounds;
  const to = access.url.replace(/\/+$/, "") + target.path + searchAt(request, { target, own });
  const { method } = request;
  const body = served.write(bounds);
  const init = { method, body, redirect: "manual", signal: watch.signal } as const;
  const { leaveGraceMs = USUAL_LEAVE.graceMs, onLeave } = options;
  const relayed = relay({
    call,
    api: served.api,
    secrets: secretsIn(access),
    keyOf: access.keyOf,
    keyRefusals: target.provider.keyRefusals,
    model: served.ask.model,
    maxOutputTokens,
    showsUsageEvent: served.metered?.request.showsUsageEvent !== false,
    leave: { graceMs: leaveGraceMs, readsToEnd: onLeave === "finish" },
    watch,
    gone: request.signal,
    send: async () => {
      const signed =
        access.signsWith === null ? null : await signRequest(access.signsWith, { url: to, method, body });
      const added = [...access.headers, ...(signed?.headers ?? [])];
      const headers = headersTo({ added, contentType }, request.headers);
      const answer = await (options.fetch ?? fetch)(signed?.url ?? to, { ...init, headers });
      const showsOwn = service.api === null && service.asksForModels && access.keyOf === "proxy";
      return showsOwn ? withoutOwnModels(answer, target.provider) : answer;
    },
  });
  return relayed.catch(() => ({
    answer: badGateway("The provider's answer could not be relayed."),
    failure: "final" as const,
    status: null,
    retryAfterMs: null,
  }));
}

/**
 * The query as it came, but for a key in it: a Sluice key goes to no provider. A query is for the provider that it was sent to.
 */
function searchAt({ url }: Request, { target, own }: { target: Target; own: Target }): string {
  if (target.name !== own.name || !url.includes("?")) return "";
  const { search, searchParams } = new URL(url);
  const { keyParameter = "" } = target.provider;
  if (!searchParams.has(keyParameter)) return search;
  searchParams.delete(keyParameter);
  return searchParams.size === 0 ? "" : `?${searchParams.toString()}`;
}

export function notServed(provider: string): WireRefusal {
  const message = `This proxy is not set up for ${provider}. Its operator sets a key, and an address where the provider has none of its own.`;
  return { status: 404, code: "not_found", message, details: {} };
}

function forbidden(message: string): WireRefusal {
  return { status: 403, code: "forbidden", message, details: {} };
}
