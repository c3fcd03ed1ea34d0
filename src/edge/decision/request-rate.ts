import { DECIDED_HEADER } from "../../contract/headers.ts";
import { routeOf } from "../../contract/operation.ts";
import type { Refusal } from "../../contract/refusal.ts";
import {
  leaseKey,
  needsNoBody,
  type RateMeter,
  rateMetersFor,
  type RateSubject,
  readPolicy,
} from "../../domain/rate/policy.ts";
import { rateRefusal } from "../../domain/rate/denial.ts";
import type { RequestReply } from "../../gate/decision/object-verdict.ts";
import type { Call } from "../request/call.ts";
import type { KnownOrg } from "../identity/key-cache.ts";
import { ObjectUnreachable, awaitAnswer } from "../object/unreachable.ts";
import { refusedBeforeBody } from "./answer.ts";
import { backgroundOf } from "./background.ts";
import { noteRateRefusal } from "./note-refusal.ts";
import { gates, type ObjectBackground } from "./gates.ts";
import type { OrgGate, SentAsk } from "../../gate/org-gate.ts";
import { rateHeaders, rateStandingNow } from "../../gate/snapshot/rate-standing.ts";

/**
 * The rate limits that are checked before the body is read: policies that count requests, and the read limit. They are
 * taken from the isolate's slices if it has them and the operation allows it, otherwise by the object. A decision
 * counts its own request, together with everything else it takes.
 */
export function checkRate(call: Call): Refusal | null | Promise<Refusal | null> {
  // A key that has ended takes nothing from those that others have left.
  if (call.caller?.ended !== undefined) return null;
  const org = call.caller?.org;
  if (org === undefined || org === null) return null;
  // One console page makes many reads. People are limited at the console's door, and never use up the API's read limit.
  if (call.actor.kind === "session" && call.op.method === "GET") return null;
  return call.op.countsItself === true ? refusedBeforeBody(call, org.id) : takeOne(call, org);
}

/**
 * For a malformed call, which never reaches the operation that would have counted it: it counts as a request, and a
 * full rate limit takes precedence over its other errors.
 */
export async function countMalformed(call: Call): Promise<Refusal | null> {
  const org = call.caller?.org;
  if (org === undefined || org === null || call.op.countsItself !== true) return null;
  return takeOne(call, org);
}

function subjectOf({ op, actor }: Call): RateSubject {
  const subject = { route: routeOf(op), keyId: actor.id };
  return op.countedByRouteOnly === true ? { ...subject, byRouteOnly: true } : subject;
}

/** Takes one request from every limit that its request line and key touch, or from none. */
function takeOne(call: Call, org: KnownOrg): Refusal | null | Promise<Refusal | null> {
  const { read_rpm, policies } = org.snapshot.rates;
  const subject = subjectOf(call);
  const meters = rateMetersFor(policies.filter(needsNoBody), subject);
  if (call.op.method === "GET") {
    const policy = readPolicy(read_rpm ?? call.settings.SVC_READ_LIMIT_PER_MINUTE);
    meters.unshift({ policy, key: policy.id });
  }
  if (meters.length === 0) return null;
  const gate = gates.of(org.id);
  const background = backgroundOf(call, org.id);
  const decided = gate === null ? undefined : inIsolate(call, gate, meters, background);
  return decided === undefined ? byObject(call, gate, meters, background) : decided;
}

/** Undefined if the isolate cannot tell by itself. */
function inIsolate(
  call: Call,
  gate: OrgGate,
  meters: readonly RateMeter[],
  background: ObjectBackground,
): Refusal | null | undefined {
  const now = call.startedAt;
  const orgNow = gate.orgNow(now);
  if (orgNow === null) return undefined;
  const keys = meters.map((meter) => leaseKey(meter, orgNow));
  const slices = keys.map((key) => gate.leaseClient.slice(key));
  // An amount that was taken from a slice has been reported by the time the call is refused, so only the object can give it
  // back.
  const taken = call.op.refusalsAreFree !== true && gate.leaseClient.take(slices, oneEach(slices), now);
  const standings = meters.map((meter, index) => {
    const known = gate.rate(keys[index] ?? "", now);
    const standing = rateStandingNow({ meter, answer: known, slice: slices[index], amount: 1 }, now);
    return { meter, known, standing, amount: 1 };
  });
  if (taken) {
    gate.keep(now, slices, background);
    Object.assign(call.headers, rateHeaders(standings));
    return null;
  }
  const refusal = rateRefusal(standings, orgNow);
  if (refusal === null) return undefined;
  gate.recheck(keys, Math.min(...standings.map(({ known }) => known?.askedAt ?? now)), now, background);
  Object.assign(call.headers, rateHeaders(standings));
  return refused(call, gate, refusal, "edge");
}

async function byObject(
  call: Call,
  gate: OrgGate | null,
  meters: readonly RateMeter[],
  background: ObjectBackground,
): Promise<Refusal | null> {
  const askedAt = Date.now();
  const carried = call.op.refusalsAreFree === true ? null : carriedAsk(gate, meters, askedAt);
  let verdict: RequestReply | null = null;
  try {
    const subject = subjectOf(call);
    verdict = await awaitAnswer(background.object().admitRequest(subject, carried?.text ?? null));
  } catch (error) {
    throw new ObjectUnreachable(String(error), { cause: error });
  } finally {
    if (carried !== null) gate?.answered(carried, verdict?.leases ?? null, Date.now());
  }
  if (verdict === null) throw new ObjectUnreachable("the object knows no such org");
  const now = Date.now();
  const { refusal, rates, orgNow } = verdict;
  const standings = meters.flatMap((meter) => {
    const info = rates.find(({ key }) => key === leaseKey(meter, orgNow));
    return info === undefined ? [] : [{ meter, standing: info, known: { info, askedAt, at: now } }];
  });
  Object.assign(call.headers, rateHeaders(standings));
  if (refusal === null && call.op.refusalsAreFree === true) {
    call.counted = { route: routeOf(call.op), at: orgNow };
  }
  if (refusal !== null) refused(call, gate, refusal, "object");
  if (gate === null) return refusal;
  gate.setTime(orgNow, askedAt, now);
  if (refusal !== null) {
    gate.setRates(rates, askedAt, now);
    return refusal;
  }
  if (call.counted !== undefined) return null;
  const slices = rates.map(({ key }) => gate.leaseClient.slice(key));
  for (const slice of slices) gate.leaseClient.miss(slice, 1);
  gate.keep(now, slices, background);
  return null;
}

/** Where steady traffic has no slices, the call to the object asks for them. */
function carriedAsk(gate: OrgGate | null, meters: readonly RateMeter[], now: number): SentAsk | null {
  const orgNow = gate?.orgNow(now) ?? null;
  if (gate === null || orgNow === null) return null;
  const slices = meters.map((meter) => gate.leaseClient.slice(leaseKey(meter, orgNow)));
  return gate.carry(slices, now);
}

/** A decision that a rate limit refuses is still a decision, and says where it was made. */
function refused(call: Call, gate: OrgGate | null, refusal: Refusal, place: "edge" | "object"): Refusal {
  noteRateRefusal(call, gate, refusal, place);
  if (call.op.countsItself === true) call.headers[DECIDED_HEADER] = place;
  return refusal;
}

function oneEach(slices: readonly unknown[]): number[] {
  return slices.map(() => 1);
}
