import type { Slice } from "../lease/lease-client.ts";
import {
  leaseKey,
  limitHeader,
  policyHeader,
  type RateMeter,
  type RatePolicy,
  type RateStanding,
} from "../../domain/rate/policy.ts";
import { isMoreThanAll } from "../../domain/rate/denial.ts";
import type { RateInfo } from "../lease/wire.ts";
import type { GateCaller } from "./caller.ts";
import type { OrgGate, ObjectAnswer } from "../org-gate.ts";

/** The amount that a call takes from one rate limit, and what the isolate knows of that limit. */
interface RateUse {
  readonly meter: RateMeter;
  readonly answer: ObjectAnswer<RateInfo> | null;
  readonly slice: Slice | undefined;
  readonly amount: number;
}

const ROOM: RateStanding = { used: 0, room: Number.POSITIVE_INFINITY, waitMs: 0 };

/**
 * The state of a rate limit as far as the isolate knows: what the object last said, adjusted for the time since, plus
 * what is left of the isolate's own slice. Unknown counts as room: only known limits refuse.
 */
export function rateStandingNow({ meter, answer, slice, amount }: RateUse, now: number): RateStanding {
  if (answer === null || amount === 0) return ROOM;
  const { used, room } = answer.info;
  const own = slice !== undefined && now < slice.until ? slice.left : 0;
  const { policy } = meter;
  if (policy.kind === "rate" && isMoreThanAll(policy, amount)) {
    return { used, room: room + own, waitMs: policy.window_seconds * 1000 };
  }
  const wait = own === 0 ? waitFor(amount, policy, answer.info) : 0;
  return { used, room: room + own, waitMs: wait === 0 ? 0 : Math.max(0, answer.at + wait - now) };
}

/** For as long as the object has said; 0: there may be room, and the object is to be asked. */
function waitFor(amount: number, { kind, unit }: RatePolicy, info: RateInfo): number {
  const { room, waitMs, moreInMs, ahead } = info;
  if (amount <= room) return 0;
  // There is hardly ever no room for a billionth of a dollar, so what a call needs is compared.
  if (unit === "usd") return kind === "quota" ? moreInMs : waitAhead(amount, ahead);
  // A fixed window that has no room for one has none for more until it ends.
  if (amount <= 1 || kind === "quota") return waitMs;
  if (room >= 1) return 0;
  return waitAhead(amount, ahead);
}

function waitAhead(amount: number, ahead: RateInfo["ahead"]): number {
  return ahead?.find((later) => later.room >= amount)?.inMs ?? 0;
}

/** The IETF headers, for the policies whose state is known. */
export function rateHeaders(
  standings: readonly { meter: RateMeter; known: ObjectAnswer<RateInfo> | null; standing: RateStanding }[],
): Record<string, string> {
  const knownStandings = standings.filter(({ known }) => known !== null);
  if (knownStandings.length === 0) return {};
  return {
    "ratelimit-policy": policyHeader(knownStandings.map(({ meter }) => meter.policy)),
    ratelimit: knownStandings
      .map(({ meter, known, standing }) =>
        limitHeader(meter.policy.name, standing.room, standing.waitMs || (known?.info.moreInMs ?? 0)),
      )
      .join(", "),
  };
}

/** The same for a decision, from what this isolate knows of the limits that its request line and key touch. */
export function decisionRateHeaders(gate: OrgGate, caller: GateCaller, now: number): Record<string, string> {
  const orgNow = gate.orgNow(now);
  if (orgNow === null) return {};
  return rateHeaders(
    caller.unread.map((meter) => {
      const key = leaseKey(meter, orgNow);
      const answer = gate.rate(key, now);
      const standing = rateStandingNow({ meter, answer, slice: gate.leaseClient.slice(key), amount: 1 }, now);
      return { meter, known: answer, standing };
    }),
  );
}
