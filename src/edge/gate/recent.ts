import type { DecisionAsk } from "../../org/holds/decide.ts";

/** An allow that was given lately, what was asked for it, and the batch in which its hold is reported. */
interface RecentAllow {
  readonly name: string;
  readonly text: string;
  readonly ask: DecisionAsk;
  readonly batch: number;
}

const MOST = 2_000;

/**
 * The allows that this isolate has given lately, by the names of their requests (which no two orgs share), so that asking
 * again gets the same answer to the byte. Two generations: when the younger is full, the older goes. An id that has gone
 * is named alike again, and its hold, which the object has by then, is kept once.
 */
class Recent {
  #young = new Map<number, RecentAllow>();
  #old = new Map<number, RecentAllow>();

  get(name: string): RecentAllow | undefined {
    const place = placeOf(name);
    const young = this.#young.get(place);
    if (young?.name === name) return young;
    const old = this.#old.get(place);
    return old?.name === name ? old : undefined;
  }

  set(allow: RecentAllow): void {
    if (this.#young.size >= MOST) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(placeOf(allow.name), allow);
  }
}

/** Names end in random characters. A number made of six is found several times as fast as a text that is new each time. */
function placeOf(name: string): number {
  let place = 0;
  for (let index = name.length - 6; index < name.length; index += 1) {
    place = ((place << 5) ^ name.charCodeAt(index)) & 0x3fffffff;
  }
  return place;
}

export const recent = new Recent();

/** Whether two allows name the same hold, with the same amount and the same end. */
export function isSameHold(one: string, other: string): boolean {
  const from = one.indexOf(RESERVATION);
  return from >= 0 && other.includes(one.slice(from, one.indexOf("}", from)));
}

const RESERVATION = '"reservation":{';
