import type { Ask, Grant } from "../../domain/lease/protocol.ts";
import type { RateStanding } from "../../domain/rate-policy.ts";

/**
 * What isolates and the object tell each other about leases, as text: one string crosses cheaper than the objects in
 * it would, between isolates and between regions alike.
 */

/** How a rate limit stood when the object was asked, for an amount of one. */
export interface RateInfo extends RateStanding {
  readonly key: string;
  /** Until there is more room than now, where some is taken. */
  readonly moreInMs: number;
}

export interface SyncReply {
  readonly grant: Grant;
  readonly rates: readonly RateInfo[];
  /** The org's clock when the object answered. */
  readonly orgNow: number;
}

type WireAsk = {
  holder: string;
  attempt: number;
  batches: [number: number, holds: unknown[], used: [meter: string, sum: string][]][];
  wants: [meter: string, left: string, want: string, least: string][];
};

export function writeAsk(ask: Ask<unknown>): string {
  const wire: WireAsk = {
    holder: ask.holder,
    attempt: ask.attempt,
    batches: ask.batches.map(({ number, holds, used }) => [
      number,
      [...holds],
      [...used].map(([meter, sum]) => [meter, String(sum)]),
    ]),
    wants: [...ask.wants].map(([meter, { left, want, least }]) => [
      meter,
      String(left),
      String(want),
      String(least),
    ]),
  };
  return JSON.stringify(wire);
}

export function readAsk<Hold>(text: string): Ask<Hold> {
  const { holder, attempt, batches, wants } = JSON.parse(text) as WireAsk;
  return {
    holder,
    attempt,
    batches: batches.map(([number, holds, used]) => ({
      number,
      holds: holds as Hold[],
      used: new Map(used.map(([meter, sum]) => [meter, BigInt(sum)])),
    })),
    wants: new Map(
      wants.map(([meter, left, want, least]) => [
        meter,
        { left: BigInt(left), want: BigInt(want), least: BigInt(least) },
      ]),
    ),
  };
}

type WireReply = {
  attempt: number;
  slices: [meter: string, add: string, forMs: number | null, share: string][];
  rates: RateInfo[];
  orgNow: number;
};

export function writeReply({ grant, rates, orgNow }: SyncReply): string {
  const wire: WireReply = {
    attempt: grant.attempt,
    slices: [...grant.slices].map(([meter, { add, forMs, share }]) => [
      meter,
      String(add),
      forMs,
      String(share),
    ]),
    rates: [...rates],
    orgNow,
  };
  return JSON.stringify(wire);
}

export function readReply(text: string): SyncReply {
  const { attempt, slices, rates, orgNow } = JSON.parse(text) as WireReply;
  return {
    grant: {
      attempt,
      slices: new Map(
        slices.map(([meter, add, forMs, share]) => [
          meter,
          { add: BigInt(add), forMs, share: BigInt(share) },
        ]),
      ),
    },
    rates,
    orgNow,
  };
}
