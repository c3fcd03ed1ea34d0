import type { LeaseRequest, Grant } from "./protocol.ts";
import type { Usage } from "../../domain/meter/meter.ts";
import type { RequestTotals } from "../decision/recent-reservations.ts";
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
  /** Where it is full, for amounts above one. */
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
  readonly refusals: number;
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
  readonly refusals: NumberedBatch | null;
}

type WireAsk = Omit<Report, "ask"> & {
  holder: string;
  attempt: number;
  batches: [number: number, holds: readonly ReportedHolds[], used: [meter: string, sum: string][]][];
  wants: [meter: string, left: string, want: string, least: string][];
  renews?: number | undefined;
};

export function writeAsk({ ask, ...rest }: Report): string {
  const wire: WireAsk = {
    ...rest,
    holder: ask.holder,
    attempt: ask.attempt,
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
  const { holder, attempt, batches, wants, renews, ...rest } = JSON.parse(text) as WireAsk;
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
  return { ask, ...rest };
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

type WireReply = Pick<SyncReply, "rates" | "orgNow" | "version" | "requests" | "refusals"> & {
  attempt: number;
  slices: [meter: string, add: string, forMs: number | null, share: string][];
  /** Missing where nothing was to be renewed unnamed. */
  lapsed?: readonly string[] | null | undefined;
  usage: [key: string, spent: string, over: string, held: string, leased: string][];
};

export function writeReply({ grant, usage, ...rest }: SyncReply): string {
  const wire: WireReply = {
    ...rest,
    attempt: grant.attempt,
    slices: [...grant.slices].map(([meter, { add, forMs, share }]) => [
      meter,
      String(add),
      forMs,
      String(share),
    ]),
    lapsed: grant.lapsed,
    usage: usage.map(([key, { spent, over, held, leased }]) => [
      key,
      String(spent),
      String(over),
      String(held),
      String(leased),
    ]),
  };
  return JSON.stringify(wire);
}

export function readReply(text: string): SyncReply {
  // An object that says nothing of other slices has not renewed them.
  const { attempt, slices, lapsed = null, usage, ...rest } = JSON.parse(text) as WireReply;
  return {
    ...rest,
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
    usage: usage.map(([key, spent, over, held, leased]) => [
      key,
      { spent: BigInt(spent), over: BigInt(over), held: BigInt(held), leased: BigInt(leased) },
    ]),
  };
}
