import type { LeaseRequest, Grant } from "./protocol.ts";
import type { Usage } from "../../domain/meter/meter.ts";
import { NO_REQUESTS, type RequestTotals } from "../decision/recent-reservations.ts";
import type { RoomAhead } from "../../domain/rate/sliding-window.ts";
import type { RateStanding } from "../../domain/rate/policy.ts";
import { withTokens } from "../report/hold-line.ts";
import type { NumberedBatch } from "../report/refusal-outbox.ts";
import type { ReportedHolds, LimitSetLine } from "../report/limit-set-line.ts";

/**
 * What isolates and the object tell each other about leases, as text: one string is cheaper to send than the objects in
 * it, between isolates and between regions.
 */

/** The state of a rate limit when the object was asked, for an amount of one. */
export interface RateInfo extends RateStanding {
  readonly key: string;
  /** The time until there is more room than now, if some is taken. */
  readonly moreInMs: number;
  /** Where it is full, for amounts above one. Objects of an earlier version do not send it. */
  readonly ahead?: readonly RoomAhead[];
}

export interface SyncReply {
  readonly grant: Grant;
  readonly rates: readonly RateInfo[];
  readonly usage: readonly (readonly [key: string, usage: Usage])[];
  /** The org's clock when the object answered. */
  readonly orgNow: number;
  readonly version: string;
  readonly requests: RequestTotals;
  /** The last batch of refusals that the object has from this isolate. */
  readonly refusals?: number;
}

/** A report: what was held, from what, and which other limits the isolate wants to know about. */
export interface Report {
  readonly ask: LeaseRequest<ReportedHolds>;
  readonly touches: readonly LimitSetLine[];
  readonly watch: readonly string[];
  /** The most by which the holds may be later than they say. Null if unknown. */
  readonly lagMs: number | null;
  /** How far the object has told of requests. Null if it need not. */
  readonly heard: string | null;
  readonly refusals?: NumberedBatch | null;
}

type WireAsk = {
  holder: string;
  attempt: number;
  touches: readonly LimitSetLine[];
  watch: readonly string[];
  /** Isolates of an earlier version do not send it. */
  lagMs?: number | null;
  heard?: string | null;
  refusals?: NumberedBatch | null | undefined;
  batches: [number: number, holds: readonly ReportedHolds[], used: [meter: string, sum: string][]][];
  wants: [meter: string, left: string, want: string, least: string][];
  /** Isolates of an earlier version name every slice that they keep. */
  renews?: number | undefined;
};

export function writeAsk({ ask, touches, watch, lagMs, heard, refusals }: Report): string {
  const wire: WireAsk = {
    holder: ask.holder,
    attempt: ask.attempt,
    touches,
    watch,
    lagMs,
    heard,
    refusals,
    batches: ask.batches.map(({ number, holds, used }) => [
      number,
      holds,
      [...used].map(([meter, sum]) => [meter, String(sum)]),
    ]),
    wants: [...ask.wants].map(([meter, { left, want, least }]) => [
      meter,
      String(left),
      String(want),
      String(least),
    ]),
    renews: ask.renews,
  };
  return JSON.stringify(wire);
}

export function readAsk(text: string): Report {
  const wire = JSON.parse(text) as WireAsk;
  const {
    holder,
    attempt,
    batches,
    wants,
    touches,
    watch,
    lagMs = null,
    heard = null,
    refusals = null,
    renews,
  } = wire;
  const ask: LeaseRequest<ReportedHolds> = {
    ...(renews === undefined ? {} : { renews }),
    holder,
    attempt,
    batches: batches.map(([number, holds, used]) => ({
      number,
      holds: holds.map(joined),
      used: new Map(used.map(([meter, sum]) => [meter, BigInt(sum)])),
    })),
    wants: new Map(
      wants.map(([meter, left, want, least]) => [
        meter,
        { left: BigInt(left), want: BigInt(want), least: BigInt(least) },
      ]),
    ),
  };
  return { ask, touches, watch, lagMs, heard, refusals };
}

/** With each hold's tokens in its line. */
function joined(group: ReportedHolds): ReportedHolds {
  const [limitSet, named, unnamed, tokens] = group;
  if (tokens === undefined || tokens === null) return group;
  const [ofNamed, ofUnnamed] = tokens;
  return [
    limitSet,
    named.map((line, index) => withTokens(line, ofNamed[index] ?? 0)),
    unnamed.map((line, index) => withTokens(line, ofUnnamed[index] ?? 0)),
  ];
}

type WireReply = {
  attempt: number;
  slices: [meter: string, add: string, forMs: number | null, share: string][];
  /** Missing where nothing was to be renewed unnamed. */
  lapsed?: readonly string[] | null | undefined;
  rates: readonly RateInfo[];
  usage: [key: string, spent: string, over: string, held: string, leased: string][];
  orgNow: number;
  version: string;
  /** Objects of an earlier version do not send it. */
  requests?: RequestTotals;
  refusals?: number | undefined;
};

export function writeReply({ grant, rates, usage, orgNow, version, requests, refusals }: SyncReply): string {
  const wire: WireReply = {
    attempt: grant.attempt,
    slices: [...grant.slices].map(([meter, { add, forMs, share }]) => [
      meter,
      String(add),
      forMs,
      String(share),
    ]),
    lapsed: grant.lapsed,
    rates,
    usage: usage.map(([key, { spent, over, held, leased }]) => [
      key,
      String(spent),
      String(over),
      String(held),
      String(leased),
    ]),
    orgNow,
    version,
    requests,
    refusals,
  };
  return JSON.stringify(wire);
}

export function readReply(text: string): SyncReply {
  const wire = JSON.parse(text) as WireReply;
  const { attempt, slices, rates, usage, orgNow, version, requests = NO_REQUESTS, refusals = 0 } = wire;
  // An object that says nothing of other slices has not renewed them.
  const { lapsed = null } = wire;
  return {
    grant: {
      attempt,
      lapsed,
      slices: new Map(
        slices.map(([meter, add, forMs, share]) => [
          meter,
          { add: BigInt(add), forMs, share: BigInt(share) },
        ]),
      ),
    },
    rates,
    usage: usage.map(([key, spent, over, held, leased]) => [
      key,
      { spent: BigInt(spent), over: BigInt(over), held: BigInt(held), leased: BigInt(leased) },
    ]),
    orgNow,
    version,
    requests,
    refusals,
  };
}
