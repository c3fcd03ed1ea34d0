/** An allow that was given lately, what was asked for it, and the batch in which its hold is reported. */
interface RecentAllow {
  readonly text: string;
  readonly ask: string;
  readonly batch: number;
}

const MOST = 10_000;

/**
 * The allows that this isolate has given lately, by request id, so that asking again gets the same answer to the byte.
 * Two generations: when the younger is full, the older goes. An id that has gone is named alike again, and its hold, which
 * the object has by then, is kept once.
 */
class Recent {
  #young = new Map<string, RecentAllow>();
  #old = new Map<string, RecentAllow>();

  get(orgId: string, requestId: string): RecentAllow | undefined {
    const key = `${orgId}\n${requestId}`;
    return this.#young.get(key) ?? this.#old.get(key);
  }

  set(orgId: string, requestId: string, allow: RecentAllow): void {
    if (this.#young.size >= MOST) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(`${orgId}\n${requestId}`, allow);
  }
}

export const recent = new Recent();

/** Whether two allows name the same hold, with the same amount and the same end. */
export function isSameHold(one: string, other: string): boolean {
  const from = one.indexOf(RESERVATION);
  return from >= 0 && other.includes(one.slice(from, one.indexOf("}", from)));
}

const RESERVATION = '"reservation":{';
