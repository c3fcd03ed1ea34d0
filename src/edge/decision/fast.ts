import { roleIncludes } from "../../contract/access.ts";
import { type DecidedAt, DECISION } from "../../contract/decision.ts";
import { TRACE_HEADER, verdictHeaders } from "../../contract/headers.ts";
import { envelopeText, isRefusal, type Refusal, refusalHeaders, refuse } from "../../contract/refusal.ts";
import { addressAllowed } from "../../domain/network/address.ts";
import { refusedFields } from "../../domain/refusal/log-fields.ts";
import { readTraceParent, type TraceParent } from "../../domain/text/traceparent.ts";
import { keyProblem } from "../../domain/key/state.ts";
import { logFailure } from "../../log.ts";
import { type Settings, settingsOf } from "../../settings.ts";
import { cached } from "../../domain/cache/cached.ts";
import { callerAddress } from "../request/call.ts";
import { again, bytesOf, cutOff, plainLength } from "./body-bytes.ts";
import { deprecationCopy } from "../request/deprecation.ts";
import type { DecidedTogether } from "../../gate/decision/decided-together.ts";
import type { Env } from "../env.ts";
import { actableUntil, knownKey } from "../identity/identify.ts";
import type { KnownKey } from "../identity/key-cache.ts";
import { orgObject } from "../region/home.ts";
import { objectHere } from "../region/placement.ts";
import { PASS_HEADER } from "../region/peer.ts";
import type { OrgStub } from "../region/remote-org.ts";
import { decideThere } from "./answer.ts";
import { type Arrived, decideColdKey, type Serve } from "./cold-key.ts";
import { gates, type ObjectBackground, waitFor } from "./gates.ts";
import { type Asker, newAsker } from "../../gate/snapshot/caller.ts";
import { decideHere, refusedUnread, type Verdict } from "../../gate/decision/decision.ts";
import type { OrgGate } from "../../gate/org-gate.ts";
import { plainAsk } from "../../gate/decision/plain-ask.ts";
import { decisionRateHeaders } from "../../gate/snapshot/rate-standing.ts";
import type { DecisionAsk } from "../../gate/decision/ask.ts";
import { judgeHere } from "./judge.ts";
import { noteDecision } from "./note-refusal.ts";
import { logDecision } from "./decision-log.ts";
import { unavailable } from "../object/unreachable.ts";

/** A host and exactly this path. Anything with a query, or spelled differently, is left to the router. */
const DECISION_URL = new RegExp(`^https?://[^/?#\\\\@]+${DECISION.path}$`);
/** The one seen last: most callers use the same host, and comparing is cheaper than matching. */
let decisionUrl = "";

function isForDecisions(url: string): boolean {
  if (url === decisionUrl) return true;
  if (!DECISION_URL.test(url)) return false;
  decisionUrl = url;
  return true;
}

/** A key in the form that decisions need, computed once for each of its snapshots. */
interface Ready {
  readonly asker: Asker;
  readonly gate: OrgGate;
  readonly key: KnownKey;
  readonly settings: Settings;
  /** The last refusal by rate limits alone. */
  refused: RefusedUnread | null;
}

/** Calls of one millisecond find the same full limits, unless the object has said something in between. */
interface RefusedUnread {
  readonly at: number;
  readonly news: number;
  readonly refusal: Refusal;
  readonly headers: Headers;
}

const ready = new WeakMap<KnownKey, Ready | null>();

/**
 * Decides a request whose key, body and limits this isolate knows. Every check of the pipeline is made here too, in
 * order, or was made for the key's snapshot. Anything unusual goes to `serve`, the pipeline. Null: not for this path.
 */
export function decideFast(
  url: string,
  { request, env, context, serve }: Arrived,
): Promise<Response> | Response | null {
  if (!isForDecisions(url) || request.method !== DECISION.method) return null;
  const now = Date.now();
  const { headers } = request;
  if (headers.has(PASS_HEADER)) return null;
  const key = knownKey(headers, now);
  if (key === null) return decideColdKey({ request, env, context, serve }, now);
  const settings = settingsOf(env);
  const who = readyFor(key, settings);
  if (who === null || !isValidNow(key, now) || !isAllowedFrom(key, request)) return null;
  if (!renewed(env, context, now)) return null;
  const call = new FastCall({ who, env, context, request, now });
  if (who.asker.policies.length > 0) {
    const refused = refusedByRate(call);
    if (refused !== null) {
      noteDecision(who.gate, refused.refusal, call.asked(null), call);
      return respond(call, refused.refusal, { place: "edge", dry: false, ask: null, made: refused.headers });
    }
  }
  const bytes = plainLength(headers);
  return bytes === null ? null : decideRead(call, serve, bytes);
}

function refusedByRate(call: FastCall): RefusedUnread | null {
  const { who, startedAt: now } = call;
  const { gate, asker, refused } = who;
  if (refused !== null && refused.at === now && refused.news === gate.news) return refused;
  const refusal = refusedUnread(gate, asker, now, call);
  who.refused =
    refusal === null
      ? null
      : { at: now, news: gate.news, refusal, headers: new Headers(ownHeaders(call, refusal, "edge")) };
  return who.refused;
}

async function decideRead(call: FastCall, serve: Serve, bytes: number): Promise<Response> {
  let text: string;
  try {
    text = await call.request.text();
  } catch {
    return serve(again(call.request, cutOff()));
  }
  const { gate, asker, key } = call.who;
  const now = Date.now();
  const ask = text.length > DECISION.mostBodyBytes ? null : plainAsk(text);
  // A body may take longer to arrive than the isolate may use what it knows of the key or the deprecations.
  const late = now >= actableUntil(key) || !deprecationCopy.isFresh(now);
  if (late || ask === null) return serve(again(call.request, bytesOf(text, bytes)));
  const here = decideHere(gate, asker, ask, { now, background: call });
  if (here !== null) {
    if (isRefusal(here)) noteDecision(gate, here, call.asked(ask), call);
    return respond(call, here, { place: "edge", dry: false, ask, now });
  }
  try {
    const there = await decideThere(call, { gate, asker, ask, background: call });
    return respond(call, there, { place: "object", dry: ask.dry_run === true, ask });
  } catch (error) {
    logFailure(call.trace, error);
    const refusal = unavailable(error) ?? refuse("service_unavailable");
    return respond(call, refusal, { place: "object", dry: false, ask });
  }
}

/** The call as the background work and the object see it. */
class FastCall implements ObjectBackground {
  readonly who: Ready;
  readonly env: Env;
  readonly context: ExecutionContext;
  readonly request: Request;
  readonly startedAt: number;
  readonly trace = crypto.randomUUID();
  readonly isHere = true;
  readonly parent: TraceParent | null;

  constructor({
    who,
    env,
    context,
    request,
    now,
  }: {
    readonly who: Ready;
    readonly env: Env;
    readonly context: ExecutionContext;
    readonly request: Request;
    readonly now: number;
  }) {
    this.who = who;
    this.env = env;
    this.context = context;
    this.request = request;
    this.startedAt = now;
    this.parent = readTraceParent(request.headers.get("traceparent"));
  }

  object(): OrgStub {
    const { settings, asker } = this.who;
    return orgObject(this.env, settings, asker.orgId, settings.SVC_REGION);
  }

  async send(asked: string): Promise<DecidedTogether | null> {
    const { settings, asker } = this.who;
    return await objectHere(this.env, settings, asker.orgId).decideTogether(asked);
  }

  get actor() {
    const { key } = this.who;
    const address = callerAddress(this.request);
    return { kind: "key", id: key.key.id, role: key.role, onBehalfOf: null, address } as const;
  }

  get credential() {
    return { digest: this.who.key.digest, role: DECISION.role, scopes: [DECISION.scope] } as const;
  }

  asked(ask: DecisionAsk | null) {
    const { asker, key } = this.who;
    const { clockOffsetMs } = key.org.snapshot;
    return { trace: this.trace, parent: this.parent, keyId: asker.keyId, clockOffsetMs, ask };
  }

  waitUntil(work: Promise<unknown>): void {
    this.context.waitUntil(work);
  }

  now(): number {
    return Date.now();
  }

  wait(ms: number): Promise<void> {
    return waitFor(ms);
  }
}

function readyFor(key: KnownKey, settings: Settings): Ready | null {
  let found = ready.get(key);
  if (found === undefined) {
    found = prepare(key, settings);
    ready.set(key, found);
  }
  return found;
}

function prepare(key: KnownKey, settings: Settings): Ready | null {
  const { snapshot, id } = key.org;
  const served = snapshot.homeRegion === settings.SVC_REGION && snapshot.regions === null;
  const admitted = roleIncludes(key.role, DECISION.role) && key.scopes.has(DECISION.scope);
  const gate = gates.of(id);
  if (!served || !admitted || snapshot.status !== "active" || gate === null) return null;
  const asker = newAsker(snapshot, key.key.id, settings.SVC_KEY_PEPPER, judgeHere);
  return { asker, gate, key, settings, refused: null };
}

function isValidNow({ key, org }: KnownKey, now: number): boolean {
  return keyProblem(key, now + org.snapshot.clockOffsetMs) === null;
}

function isAllowedFrom({ org }: KnownKey, request: Request): boolean {
  return org.allowList.length === 0 || addressAllowed(org.allowList, callerAddress(request));
}

/** Whether the isolate's copy of the deprecations can be used, and says nothing about decisions. */
function renewed(env: Env, context: ExecutionContext, now: number): boolean {
  const renewal = deprecationCopy.renewal(now);
  if (renewal === "blocking" || deprecationCopy.find(DECISION.method, DECISION.path) !== undefined)
    return false;
  if (renewal === "behind") {
    context.waitUntil(deprecationCopy.renew(env.REGISTRY, now).catch(() => undefined));
  }
  return true;
}

function respond(
  call: FastCall,
  verdict: Verdict,
  {
    place,
    dry,
    ask,
    made,
    now = Date.now(),
  }: {
    readonly place: DecidedAt;
    readonly dry: boolean;
    /** Null if the body was not read. */
    readonly ask: DecisionAsk | null;
    readonly made?: Headers | undefined;
    readonly now?: number;
  },
): Response {
  const refusal = isRefusal(verdict) ? verdict : null;
  const status = refusal?.status ?? 200;
  const code = refusal?.code ?? null;
  const ms = now - call.startedAt;
  logDecision(call, {
    asker: call.who.asker,
    settings: call.who.settings,
    status,
    code,
    place,
    ms,
    dry,
    refused: refusal === null ? null : refusedFields(refusal, ask),
  });
  const text = isRefusal(verdict) ? refusalText(verdict) : verdict;
  const headers = made ?? headersOf(call, refusal, place);
  headers.set(TRACE_HEADER, call.trace);
  return new Response(text, { status, headers });
}

const texts = new WeakMap<Refusal, string>();

/** A refusal is given to many calls, and serialized once. */
function refusalText(refusal: Refusal): string {
  let text = texts.get(refusal);
  if (text === undefined) {
    text = envelopeText(refusal);
    texts.set(refusal, text);
  }
  return text;
}

/** The headers of every response, by place and region. A response copies them, which is cheaper than building them. */
const common = new Map<string, Headers>();

function headersOf(call: FastCall, refusal: Refusal | null, place: DecidedAt): Headers {
  const { asker, settings } = call.who;
  if (asker.policies.length > 0 || (refusal !== null && "retry-after" in refusalHeaders(refusal))) {
    return new Headers(ownHeaders(call, refusal, place));
  }
  const { SVC_REGION: region } = settings;
  return cached(common, `${place} ${region}`, () => new Headers(verdictHeaders(region, place)));
}

/** The headers of a response that states rate limits or a wait. */
function ownHeaders(
  { who: { asker, gate, settings }, startedAt: now }: FastCall,
  refusal: Refusal | null,
  place: DecidedAt,
): Record<string, string> {
  const rates = asker.policies.length === 0 ? {} : decisionRateHeaders(gate, asker, now);
  const retry = refusal === null ? {} : refusalHeaders(refusal);
  return { ...verdictHeaders(settings.SVC_REGION, place), ...rates, ...retry };
}
