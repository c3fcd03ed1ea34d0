import type { LeaseReport } from "../../contract/resources/leases.ts";
import type { ReservationIds } from "../../domain/reservation-id.ts";
import { type GivenTouch, openTouch, type TouchHolder } from "../../domain/touch-token.ts";
import type { StoredHolder } from "../../gate/lease/book.ts";
import { type Batch, LEASE, type Want } from "../../gate/lease/protocol.ts";
import {
  amountOf,
  endsAt,
  idOf,
  madeAt,
  madeAtLater,
  type ReportedHold,
  timeText,
  tokensOf,
} from "../../gate/reported-hold.ts";
import { keptCalls } from "../../gate/refused-calls.ts";
import type { ReportedHolds, ReportedTouch } from "../../gate/reported-touch.ts";
import type { Report } from "../../gate/wire.ts";

/** What the object knows that a report from outside is held against. */
export interface OutsideTerms {
  readonly holder: TouchHolder;
  readonly ids: ReservationIds;
  /** What the gate has, by the object's own book. */
  readonly stored: StoredHolder;
  /** The limits as they are now. */
  readonly version: string;
  /** Whether holds from before they changed may still come. */
  readonly takesEarlier: boolean;
  readonly orgNow: number;
  /** Whether a hold with this id is known already, and not only from its run. */
  readonly isKnown: (ids: readonly string[]) => ReadonlySet<string>;
}

export interface CheckedReport {
  readonly report: Report;
  /** Holds that were not taken. */
  readonly refused: readonly string[];
}

/**
 * A report of a gate that is not ours. Nothing in it is believed that the object can tell by itself: what a hold is made
 * against is what the object signed, what it took of each slice is counted anew, and a hold that the gate's own slices do not
 * cover is none. Null: a touch is not what was given to this key.
 */
export function checkedReport(given: LeaseReport, terms: OutsideTerms): CheckedReport | null {
  const touches: GivenTouch[] = [];
  for (const token of given.touches) {
    const touch = openTouch(terms.holder, token);
    if (touch === null) return null;
    touches.push(touch);
  }
  const checking = new Checking(given, touches, terms);
  const { stored, version } = terms;
  const current = new Set(touches.filter((touch) => touch.version === version).flatMap(limitsOf));
  const wants = new Map<string, Want>();
  for (const { key, left, want, least } of given.wants) {
    if (current.has(key)) wants.set(key, { left: BigInt(left), want: BigInt(want), least: BigInt(least) });
  }
  const ask = { holder: stored.holder, attempt: given.attempt, batches: checking.batches(), wants };
  const watch = given.watch.filter((key) => current.has(key));
  const { keyId } = terms.holder;
  const refusals =
    given.refusals === undefined ? null : keptCalls(given.refusals, { keyId, orgNow: terms.orgNow });
  return {
    report: { ask, touches: touches.map(reported), watch, lagMs: null, heard: null, refusals },
    refused: checking.refused,
  };
}

function limitsOf({ keys, requests, tokens }: GivenTouch): string[] {
  return [...keys, ...requests, ...tokens];
}

function reported({ keys, meters, customer, byBody }: GivenTouch): ReportedTouch {
  return { keys, meters, customer, rates: byBody };
}

class Checking {
  readonly refused: string[] = [];
  readonly #given: LeaseReport;
  readonly #touches: readonly GivenTouch[];
  readonly #terms: OutsideTerms;
  readonly #left: Map<string, bigint>;
  readonly #seen = new Set<string>();

  constructor(given: LeaseReport, touches: readonly GivenTouch[], terms: OutsideTerms) {
    this.#given = given;
    this.#touches = touches;
    this.#terms = terms;
    this.#left = new Map(terms.stored.slices.map(([key, { left }]) => [key, left]));
  }

  /** A batch that was taken before says nothing new, and is left to the book to pass over. */
  batches(): Batch<ReportedHolds>[] {
    const fresh = this.#given.batches.filter(({ number }) => number > this.#terms.stored.batch);
    const ids = fresh.flatMap(({ holds }) => holds.flatMap(({ lines }) => lines.map(idOf)));
    const known = this.#terms.isKnown(ids);
    return fresh.map(({ number, holds }) => {
      const used = new Map<string, bigint>();
      const taken = holds.flatMap(({ touch: index, lines }): ReportedHolds[] => {
        const touch = this.#touches[index];
        const good = lines.flatMap((line) => this.#taken(line, touch, known, used));
        return good.length === 0 ? [] : [[index, [], good]];
      });
      return { number, holds: taken, used };
    });
  }

  #taken(
    line: ReportedHold,
    touch: GivenTouch | undefined,
    known: ReadonlySet<string>,
    used: Map<string, bigint>,
  ): ReportedHold[] {
    const id = idOf(line);
    const { ids, orgNow, version, takesEarlier } = this.#terms;
    const isNew = !this.#seen.has(id) && !known.has(id) && ids.originOf(id, orgNow) === "time";
    this.#seen.add(id);
    const lastsMs = Number(endsAt(line)) - Number(madeAt(line));
    const isTimely = takesEarlier || touch?.version === version;
    const isSound = isNew && isTimely && lastsMs > 0 && lastsMs <= LEASE.longestHoldMs;
    if (!isSound || touch === undefined || !this.#covers(touch, line)) {
      this.refused.push(id);
      return [];
    }
    this.#count(touch, line, used);
    const now = timeText(orgNow);
    return [madeAt(line) > now ? madeAtLater(line, now) : line];
  }

  #covers(touch: GivenTouch, line: ReportedHold): boolean {
    return touch.keys.every((key) => (this.#left.get(key) ?? 0n) >= takenOf(touch, key, line));
  }

  #count(touch: GivenTouch, line: ReportedHold, used: Map<string, bigint>): void {
    for (const key of touch.keys) {
      const amount = takenOf(touch, key, line);
      if (touch.uncounted.includes(key)) continue;
      this.#left.set(key, (this.#left.get(key) ?? 0n) - amount);
      add(used, key, amount);
    }
    for (const key of touch.requests) add(used, key, 1n);
    for (const key of touch.tokens) add(used, key, BigInt(tokensOf(line)));
  }
}

/** What a hold takes of a limit. */
function takenOf(
  { uncounted, ofTokens = [], ofRuns = [] }: GivenTouch,
  key: string,
  line: ReportedHold,
): bigint {
  if (uncounted.includes(key)) return 0n;
  if (ofTokens.includes(key)) return BigInt(tokensOf(line));
  return ofRuns.includes(key) ? 1n : BigInt(amountOf(line));
}

function add(sums: Map<string, bigint>, key: string, amount: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + amount);
}
