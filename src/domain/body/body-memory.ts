/** Whose body it is. */
export interface BodyOwner {
  readonly org: string;
  readonly key: string;
}

/** Callers that have not proven a key share what one org may hold, and an address what one key may hold. */
export function unprovenOwner(address: string): BodyOwner {
  return { org: "", key: address };
}

/** The part of the memory that one org may hold, of what the other orgs leave. */
const ORG_SHARE = 5 / 8;
/** The part of an org's share that one of its keys may hold, of what its other keys leave. */
const KEY_SHARE = 4 / 5;

/** One body always fits into an empty isolate if the memory has twice its size. */
export const LEAST_BODIES = 1 / (ORG_SHARE * KEY_SHARE);

/** A body that its call has not given back by then no longer counts: a runtime may end a call without a word. */
export interface HoldBounds {
  readonly longestHoldMs: number;
  readonly now: () => number;
}

interface OrgBytes {
  bytes: number;
  readonly keys: Map<string, number>;
}

/**
 * The memory of an isolate for the bodies of calls. However many orgs and keys fill their shares, some of it is left for
 * the next one.
 */
export class BodyMemory {
  readonly #mostBytes: number;
  readonly #bounds: HoldBounds;
  readonly #orgs = new Map<string, OrgBytes>();
  readonly #holds = new Set<BodyHold>();
  #bytes = 0;
  #reclaimedAt = Number.NEGATIVE_INFINITY;

  constructor(mostBytes: number, bounds: HoldBounds) {
    this.#mostBytes = mostBytes;
    this.#bounds = bounds;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Null if there is no room. */
  hold(owner: BodyOwner, bytes: number): BodyHold | null {
    if (!this.take(owner, bytes)) return null;
    const hold = new BodyHold(this, owner, {
      bytes,
      endsAt: this.#bounds.now() + this.#bounds.longestHoldMs,
    });
    this.#holds.add(hold);
    return hold;
  }

  take(owner: BodyOwner, bytes: number): boolean {
    if (!this.#fits(owner, bytes)) {
      this.#reclaim();
      if (!this.#fits(owner, bytes)) return false;
    }
    this.#add(owner, bytes);
    return true;
  }

  give(owner: BodyOwner, bytes: number): void {
    this.#add(owner, -bytes);
  }

  end(hold: BodyHold): void {
    this.#holds.delete(hold);
  }

  #fits({ org, key }: BodyOwner, bytes: number): boolean {
    const held = this.#orgs.get(org);
    const ofOrg = held?.bytes ?? 0;
    const ofKey = held?.keys.get(key) ?? 0;
    const orgMost = ORG_SHARE * (this.#mostBytes - (this.#bytes - ofOrg));
    return ofKey + bytes <= KEY_SHARE * (orgMost - (ofOrg - ofKey));
  }

  #add({ org, key }: BodyOwner, bytes: number): void {
    this.#bytes += bytes;
    let held = this.#orgs.get(org);
    if (held === undefined) {
      held = { bytes: 0, keys: new Map() };
      this.#orgs.set(org, held);
    }
    held.bytes += bytes;
    const ofKey = (held.keys.get(key) ?? 0) + bytes;
    if (ofKey === 0) held.keys.delete(key);
    else held.keys.set(key, ofKey);
    if (held.keys.size === 0) this.#orgs.delete(org);
  }

  /** At most once a second: whoever is refused costs little. */
  #reclaim(): void {
    const now = this.#bounds.now();
    if (now < this.#reclaimedAt + 1000) return;
    this.#reclaimedAt = now;
    for (const hold of this.#holds) if (hold.endsAt <= now) hold.release();
  }
}

/** The memory that one body takes, until its call gives it back. */
export class BodyHold {
  readonly #memory: BodyMemory;
  #owner: BodyOwner;
  #bytes: number;
  #endsAt: number;

  constructor(memory: BodyMemory, owner: BodyOwner, { bytes, endsAt }: { bytes: number; endsAt: number }) {
    this.#memory = memory;
    this.#owner = owner;
    this.#bytes = bytes;
    this.#endsAt = endsAt;
  }

  get endsAt(): number {
    return this.#endsAt;
  }

  /** Takes so many bytes in all. False if there is no room. */
  growTo(bytes: number): boolean {
    const more = bytes - this.#bytes;
    if (more <= 0) return true;
    if (!this.#memory.take(this.#owner, more)) return false;
    this.#bytes = bytes;
    return true;
  }

  /** From now on it counts for another. False if that one has no room. */
  moveTo(owner: BodyOwner): boolean {
    if (owner.org === this.#owner.org && owner.key === this.#owner.key) return true;
    this.#memory.give(this.#owner, this.#bytes);
    const hasRoom = this.#memory.take(owner, this.#bytes);
    if (hasRoom) this.#owner = owner;
    else this.#memory.give(this.#owner, -this.#bytes);
    return hasRoom;
  }

  /** Counts no longer than until then. */
  endBy(time: number): void {
    this.#endsAt = Math.min(this.#endsAt, time);
  }

  release(): void {
    this.#memory.end(this);
    this.#memory.give(this.#owner, this.#bytes);
    this.#bytes = 0;
  }
}
