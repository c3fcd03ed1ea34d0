import { PLATFORM_ORG_ID } from "../../contract/platform-org.ts";
import { type Refusal, refuse } from "../../contract/refusal.ts";
import { isSecret, keyDigest, type ParsedKey, parseKey, uncheckedKey } from "../../domain/key/api-key.ts";
import { hasEnded, keyProblem, refuseKey } from "../../domain/key/state.ts";
import { type OrgTokenKind, orgOfToken } from "../../domain/key/org-token.ts";
import { firstUnder, presentDigest } from "../../domain/key/peppers.ts";
import { peppersOf, type Settings } from "../../settings.ts";
import type { Snapshot } from "../../gate/snapshot/snapshot.ts";
import { Backoff } from "../object/backoff.ts";
import type { Call, Caller } from "../request/call.ts";
import { identifyCustomer, isCustomerToken } from "./customer.ts";
import { DeadSecrets } from "./dead-secrets.ts";
import { type KnownKey, KeyCache } from "./key-cache.ts";
import { askHome } from "../region/home.ts";
import type { OrgStub } from "../region/remote-org.ts";
import { identifySupport, isSupportToken } from "../support/support.ts";
import { ObjectUnreachable, awaitAnswer } from "../object/unreachable.ts";
import { internalCaller } from "./internal-caller.ts";
import type { Introduce, Stranger } from "./stranger.ts";

/** Identifies the caller. The isolate caches known keys and failures. */
const known = new KeyCache();
const dead = new DeadSecrets();
const backoff = new Backoff();

/** Only the exact scheme counts. */
export function bearerOf(headers: Headers): string | null {
  const header = headers.get("authorization");
  return header !== null && header.startsWith("Bearer ") ? header.slice("Bearer ".length) : null;
}

function keyOf({ op, request: { headers } }: Call): string | null {
  if (op.keyHeader === undefined || headers.has("authorization")) return bearerOf(headers);
  return headers.get(op.keyHeader);
}

/** The address is read when it is needed, which few calls of a known key do. */
function asCaller(key: KnownKey, call: Call): Caller {
  const actor = {
    kind: "key",
    id: key.key.id,
    role: key.role,
    onBehalfOf: null,
    get address() {
      return call.address;
    },
  } as const;
  const { role, scopes, org, digest } = key;
  return { actor, role, scopes, org, digest, goodUntil: actableUntil(key) };
}

/** A snapshot is not used beyond the expiry of its key. */
function actableUntil({ goodUntil, key, org }: KnownKey): number {
  const { expiresAt } = key;
  return expiresAt === null ? goodUntil : Math.min(goodUntil, expiresAt - org.snapshot.clockOffsetMs);
}

function asOperator(call: Call): null {
  const actor = { kind: "operator", id: "operator", role: "operator", onBehalfOf: null } as const;
  call.caller = { actor: { ...actor, address: call.address }, role: "operator", scopes: null, org: null };
  return null;
}

function strangerOf({ settings, judgedAt }: Call, bearer: string): Stranger | null {
  if (dead.has(bearer, judgedAt)) return null;
  const given = keyIn(settings, bearer);
  return given === null ? null : { ...given, bearer, digest: digestOf(settings, bearer) };
}

export function cacheKey({ bearer, digest }: Stranger, snapshot: Snapshot, askedAt: number): void {
  known.set(bearer, digest, snapshot, askedAt);
}

export function identify(call: Call, introduce?: Introduce): Refusal | null | Promise<Refusal | null> {
  call.caller = internalCaller(call.request);
  if (call.caller !== null) return null;
  const bearer = keyOf(call);
  if (bearer === null) return refuse("unauthorized");
  const key = known.get(bearer, call.judgedAt);
  if (key !== null) {
    if (key.refreshAt <= call.judgedAt && !key.refreshing) {
      key.refreshing = true;
      call.context.waitUntil(fetchKey(call, bearer, key.org.id, key.key.id).catch(() => null));
    }
    return judge(call, key);
  }
  const stranger = introduce === undefined ? null : strangerOf(call, bearer);
  const introduced = stranger === null ? null : (introduce?.(call, stranger) ?? null);
  if (introduced !== null) return introduced.then(() => identify(call));
  if (isSecret(bearer, call.settings.SVC_OPERATOR_KEY)) return asOperator(call);
  return identifyNew(call, bearer);
}

/**
 * Back-off applies only to forged or dead keys, so a valid key is not delayed by what others send from its address. The
 * keyed check detects forged keys without a lookup.
 */
async function identifyNew(call: Call, bearer: string): Promise<Refusal | null> {
  if (dead.has(bearer, call.judgedAt)) return refuseGuess(call);
  const given = givenOut(call.settings, bearer);
  if (given === null) return refuseGuess(call);
  if (given === "support token" || given === "customer token") {
    const identified = given === "support token" ? identifySupport : identifyCustomer;
    const refusal = await identified(call, bearer);
    if (refusal?.code !== "unauthorized") return refusal;
  } else {
    const key = await fetchKey(call, bearer, given.orgId, given.keyId);
    if (key !== null) return judge(call, key);
  }
  dead.add(bearer, call.judgedAt);
  return refuseGuess(call);
}

type BearerKind = ParsedKey | "support token" | "customer token";

function givenOut(settings: Settings, bearer: string): BearerKind | null {
  const peppers = peppersOf(settings);
  const isOurs = (kind: OrgTokenKind) =>
    firstUnder(peppers, (pepper) => orgOfToken(pepper, kind, bearer)) !== null;
  if (isSupportToken(bearer)) return isOurs("support") ? "support token" : null;
  if (isCustomerToken(bearer)) return isOurs("customer") ? "customer token" : null;
  return keyIn(settings, bearer);
}

/**
 * The ids in a key, if its check is one of ours, or if checks of peppers that are gone are left to the object. The platform's own
 * org has no keys: only the operator key opens it.
 */
export function keyIn(settings: Settings, text: string): ParsedKey | null {
  const checked = firstUnder(peppersOf(settings), (pepper) => parseKey(pepper, text));
  const key = checked ?? (settings.SVC_ACCEPT_UNCHECKED_KEYS ? uncheckedKey(text) : null);
  return key?.orgId === PLATFORM_ORG_ID ? null : key;
}

function digestOf(settings: Settings, bearer: string): string {
  return presentDigest(peppersOf(settings), (pepper) => keyDigest(pepper, bearer));
}

function refuseGuess(call: Call): Refusal {
  const seconds = backoff.waitSeconds(call.address, call.judgedAt);
  if (seconds > 0) return refuse("rate_limited", { retry_after_seconds: seconds });
  backoff.failed(call.address, call.judgedAt);
  return refuse("unauthorized");
}

/** Asks the org's object about a key: the one hop that a cold isolate needs. */
async function fetchKey(call: Call, bearer: string, orgId: string, keyId: string): Promise<KnownKey | null> {
  const askedAt = Date.now();
  const digest = digestOf(call.settings, bearer);
  let snapshot: Snapshot | null;
  try {
    const ask = async (object: OrgStub) => await object.authenticate(keyId, digest);
    snapshot = await awaitAnswer(askHome(call.env, call.settings, orgId, ask));
  } catch (error) {
    throw new ObjectUnreachable(String(error), { cause: error, orgId });
  }
  if (snapshot === null) {
    known.forget(bearer);
    return null;
  }
  return known.set(bearer, digest, snapshot, askedAt);
}

/** Checks an authenticated key: revoked, then expired, then the org, then the address. */
function judge(call: Call, proven: KnownKey): Refusal | null {
  const { key, org } = proven;
  const now = call.judgedAt + org.snapshot.clockOffsetMs;
  const problem = keyProblem(key, now);
  if (problem === null) {
    call.caller = asCaller(proven, call);
    return null;
  }
  const ended = refuseKey(problem);
  if (call.op.servesEndedKeys !== true || !hasEnded(key, now)) return ended;
  const seconds = backoff.waitSeconds(call.address, call.judgedAt);
  if (seconds > 0) return refuse("rate_limited", { retry_after_seconds: seconds });
  call.caller = { ...asCaller(proven, call), ended };
  return null;
}

/** A call of a key that has ended, and that had nothing to finish, slows its address down like a guess. */
export function noteEndedCall(call: Call): void {
  backoff.failed(call.address, call.judgedAt);
}
