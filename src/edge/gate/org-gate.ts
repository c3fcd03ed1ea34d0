import { LEASE } from "../../domain/lease/protocol.ts";
import { Purse, type Slice } from "../../domain/lease/purse.ts";
import { type RateInfo, readReply, writeAsk } from "../../org/gate/wire.ts";
import type { OrgStub } from "../region/remote-org.ts";

/** What the isolate does in the background for a request: work that outlives the answer, on the org's object. */
export interface Background {
  readonly object: () => OrgStub;
  readonly waitUntil: (work: Promise<unknown>) => void;
}

/** How a limit stood when the object last said so, in this isolate's time. */
export interface Known<T> {
  readonly info: T;
  /** When the object was asked: what it said may be acted on for a second from then. */
  readonly askedAt: number;
  /** When it answered: waits are counted from here, so that none is named too short. */
  readonly at: number;
}

/** While refusals stand on what the object said, it is asked again in the background, this often at most. */
const RECHECK_MS = LEASE.standingMs / 2;
/** One request's background work keeps the leases of an org going for so long, then the next one takes over. */
const RELAY_MS = 5000;
const GIVE_UP_MS = 2000;
const MOST_KNOWN = 1000;

/** One org as this isolate can decide for it: slices of its limits, and what is known of limits that are full. */
export class OrgGate<Hold> {
  readonly purse = new Purse<Hold>(crypto.randomUUID());
  readonly #rates = new Map<string, Known<RateInfo>>();
  /** The least by which the org's clock is ahead of this isolate's, as far as answers have told. */
  #aheadMs: number | null = null;
  #loop = 0;
  #loopSince: number | null = null;
  #recheckedAt = 0;

  /** The org's time, at most a moment behind the object's own: null until the object has answered once. */
  orgNow(now: number): number | null {
    return this.#aheadMs === null ? null : now + this.#aheadMs;
  }

  /** What is known of a rate limit, if it is fresh enough to refuse by. */
  rate(key: string, now: number): Known<RateInfo> | null {
    const known = this.#rates.get(key);
    return known === undefined || now >= known.askedAt + LEASE.standingMs ? null : known;
  }

  /** Takes what the object says about limits. */
  learn(rates: readonly RateInfo[], askedAt: number, now: number): void {
    for (const info of rates) this.#rates.set(info.key, { info, askedAt, at: now });
    if (this.#rates.size > MOST_KNOWN) this.#forgetStale(now);
  }

  learnTime(orgNow: number, now: number): void {
    this.#aheadMs = orgNow - now;
  }

  /** Has the leases kept going: reports, refills and returns, in the background of the requests that come by. */
  keep(now: number, slices: readonly Slice[], background: Background): void {
    if (this.purse.urgent(slices)) background.waitUntil(this.#sync(background));
    if (this.#loopSince !== null && now < this.#loopSince + RELAY_MS) return;
    this.#loopSince = now;
    background.waitUntil(this.#run(background));
  }

  /** While refusals are given by what is known, looks again, at most once a second. */
  recheck(keys: readonly string[], oldest: number, now: number, background: Background): void {
    if (now < oldest + RECHECK_MS || now < this.#recheckedAt + RECHECK_MS) return;
    this.#recheckedAt = now;
    background.waitUntil(this.#look(keys, now, background));
  }

  async #look(keys: readonly string[], askedAt: number, background: Background): Promise<void> {
    try {
      this.learn(await background.object().lookAtLimits(keys), askedAt, Date.now());
    } catch {
      // The object did not answer: what stands ends by itself.
    }
  }

  async #run(background: Background): Promise<void> {
    this.#loop += 1;
    const mine = this.#loop;
    for (;;) {
      await scheduler.wait(LEASE.syncMs);
      if (mine !== this.#loop) return;
      if (this.purse.idle) break;
      if (!this.purse.asking) await this.#sync(background);
    }
    this.purse.rest();
    this.#loopSince = null;
  }

  async #sync(background: Background): Promise<void> {
    const askedAt = Date.now();
    const ask = this.purse.ask(askedAt);
    try {
      const reply = await Promise.race([
        background.object().syncLeases(writeAsk(ask)),
        scheduler.wait(GIVE_UP_MS).then(() => null),
      ]);
      if (reply === null) return;
      const { grant, rates, orgNow } = readReply(reply);
      this.purse.granted(grant);
      this.learn(rates, askedAt, Date.now());
      this.learnTime(orgNow, Date.now());
    } catch {
      // The object did not answer: what was reported goes out again with the next ask.
    } finally {
      this.purse.lost(ask.attempt);
    }
  }

  #forgetStale(now: number): void {
    for (const [key, { askedAt }] of this.#rates)
      if (now >= askedAt + LEASE.standingMs) this.#rates.delete(key);
  }
}
