import { type Refusal, refuse } from "../contract/refusal.ts";
import { keyDigest, parseKey, sameSecret } from "../domain/api-key.ts";
import type { Snapshot } from "../org/snapshot.ts";
import { Backoff } from "./backoff.ts";
import type { Call, Caller } from "./call.ts";
import { type KnownKey, KnownKeys } from "./known-keys.ts";
import { askHome } from "./region/home.ts";
import type { OrgStub } from "./region/remote-org.ts";
import { identifySupport, isSupportToken } from "./support.ts";
import { ObjectUnreachable, patiently } from "./unreachable.ts";
import { vouchedCaller } from "./vouched.ts";

/** Who calls? From here on the isolate remembers: known keys and failures live as long as it does. */
const known = new KnownKeys();
const backoff = new Backoff();
/** The operator's key, once it was seen here: like any key known as good, it passes whatever others do. */
let operatorKey: string | null = null;

/** Only the exact scheme counts. */
function bearerOf(request: Request): string | null {
  const header = request.headers.get("authorization");
  return header !== null && header.startsWith("Bearer ") ? header.slice("Bearer ".length) : null;
}

function asCaller(key: KnownKey, address: string): Caller {
  const actor = { kind: "key", id: key.key.id, role: key.role, onBehalfOf: null, address } as const;
  return { actor, role: key.role, scopes: key.scopes, org: key.org, digest: key.digest };
}

function asOperator(call: Call): null {
  const actor = { kind: "operator", id: "operator", role: "operator", onBehalfOf: null } as const;
  call.caller = { actor: { ...actor, address: call.address }, role: "operator", scopes: null, org: null };
  return null;
}

/** The key of a request, where this isolate knows it well and nothing about it needs doing. */
export function knownKey(request: Request, now: number): KnownKey | null {
  const bearer = bearerOf(request);
  const key = bearer === null ? null : known.get(bearer, now);
  return key === null || (key.refreshAt <= now && !key.refreshing) ? null : key;
}

export function identify(call: Call): Refusal | null | Promise<Refusal | null> {
  call.caller = vouchedCaller(call.request);
  if (call.caller !== null) return null;
  const bearer = bearerOf(call.request);
  if (bearer === null) return refuse("unauthorized");
  const key = known.get(bearer, call.startedAt);
  if (key !== null) {
    if (key.refreshAt <= call.startedAt && !key.refreshing) {
      key.refreshing = true;
      call.context.waitUntil(learn(call, bearer, key.org.id, key.key.id).catch(() => null));
    }
    return judge(call, key);
  }
  if (bearer === operatorKey) return asOperator(call);
  const seconds = backoff.waitSeconds(call.address, call.startedAt);
  if (seconds > 0) return refuse("rate_limited", { retry_after_seconds: seconds });
  return identifyNew(call, bearer);
}

async function identifyNew(call: Call, bearer: string): Promise<Refusal | null> {
  if (sameSecret(bearer, call.settings.SVC_OPERATOR_KEY)) {
    backoff.succeeded(call.address);
    operatorKey = bearer;
    return asOperator(call);
  }
  if (isSupportToken(bearer)) {
    const refusal = await identifySupport(call, bearer);
    if (refusal?.code === "unauthorized") backoff.failed(call.address, call.startedAt);
    return refusal;
  }
  const parsed = parseKey(call.settings.SVC_KEY_PEPPER, bearer);
  const key = parsed === null ? null : await learn(call, bearer, parsed.orgId, parsed.keyId);
  if (key === null) {
    backoff.failed(call.address, call.startedAt);
    return refuse("unauthorized");
  }
  backoff.succeeded(call.address);
  return judge(call, key);
}

/** Asks the org's object about a key: the one hop that a cold isolate needs. */
async function learn(call: Call, bearer: string, orgId: string, keyId: string): Promise<KnownKey | null> {
  const askedAt = Date.now();
  const digest = keyDigest(call.settings.SVC_KEY_PEPPER, bearer);
  let snapshot: Snapshot | null;
  try {
    const ask = async (object: OrgStub) => await object.authenticate(keyId, digest);
    snapshot = await patiently(askHome(call.env, call.settings, orgId, ask));
  } catch (error) {
    throw new ObjectUnreachable(String(error), { cause: error });
  }
  if (snapshot === null) {
    known.forget(bearer);
    return null;
  }
  return known.learn(bearer, digest, snapshot, askedAt);
}

/** The state of a key that is proven: revoked before expired, then the org, then the address. */
function judge(call: Call, proven: KnownKey): Refusal | null {
  const { key, org } = proven;
  const now = call.startedAt + org.snapshot.clockOffsetMs;
  if (key.revoked) return refuse("gone", {}, { message: "This API key is revoked." });
  if (key.expiresAt !== null && key.expiresAt <= now) return refuse("key_expired");
  if (key.notBefore !== null && key.notBefore > now) return refuse("key_expired");
  call.caller = asCaller(proven, call.address);
  return null;
}
