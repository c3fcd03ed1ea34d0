import { SCOPE_FIELDS, SINGLE_FIELDS } from "../../contract/scopes.ts";
import { type CallNames, traitIn } from "../../domain/meter/traits.ts";
import type { KnownLimits, LimitSet } from "./limit-set.ts";

/** The most sets of one org, since the last rotation. */
const MOST_SETS = 2500;
const FEW_SETS = 100;
/** The most sets of all orgs of a host: some 40 MB, with their slices and what is known of their limits. */
const MOST_OF_ALL = 20_000;

/** How many kinds of calls all gates of a host know. */
export class LimitSetTotal {
  count = 0;

  /** Returns whether gates without traffic are to forget what they know. */
  get isHigh(): boolean {
    return this.count > MOST_OF_ALL / 2;
  }
}

/**
 * The limit sets of calls, by caller and names. There are two generations: a rotation drops what was not used since the
 * one before. It comes with time, and when the younger generation is full.
 */
export class LimitSets {
  #young = new Map<string, LimitSet>();
  #old = new Map<string, LimitSet>();
  /**
   * The last one found. A caller's next call usually has the same names, and comparing them is cheaper than a lookup.
   */
  #last: { matters: KnownLimits; keyId: string; names: CallNames; limitSet: LimitSet } | null = null;
  readonly #total: LimitSetTotal;
  readonly #dropped: (limitSet: LimitSet) => void;

  /** `dropped` hears of what is forgotten for want of use. */
  constructor(total = new LimitSetTotal(), dropped: (limitSet: LimitSet) => void = () => undefined) {
    this.#total = total;
    this.#dropped = dropped;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(matters: KnownLimits, keyId: string, names: CallNames): LimitSet | undefined {
    const last = this.#last;
    if (
      last !== null &&
      last.matters === matters &&
      last.keyId === keyId &&
      areSame(matters, last.names, names)
    ) {
      return last.limitSet;
    }
    const key = limitSetKey(matters, keyId, names);
    const limitSet = this.#young.get(key) ?? this.#rejuvenated(key);
    if (limitSet !== undefined) this.#last = { matters, keyId, names, limitSet };
    return limitSet;
  }

  #rejuvenated(key: string): LimitSet | undefined {
    const limitSet = this.#old.get(key);
    if (limitSet === undefined) return undefined;
    this.#old.delete(key);
    this.#young.set(key, limitSet);
    return limitSet;
  }

  set(matters: KnownLimits, keyId: string, names: CallNames, limitSet: LimitSet): void {
    this.#last = null;
    const key = limitSetKey(matters, keyId, names);
    const before = this.#young.get(key) ?? this.#rejuvenated(key);
    if (before !== undefined) this.#dropped(before);
    else {
      const most = this.#total.count < MOST_OF_ALL ? MOST_SETS : FEW_SETS;
      if (this.#young.size >= most) this.rotate();
      this.#total.count += 1;
    }
    this.#young.set(key, limitSet);
  }

  rotate(): void {
    this.#last = null;
    this.#total.count -= this.#old.size;
    for (const limitSet of this.#old.values()) this.#dropped(limitSet);
    this.#old = this.#young;
    this.#young = new Map();
  }

  clear(): void {
    this.#last = null;
    this.#total.count -= this.size;
    this.#young.clear();
    this.#old.clear();
  }
}

function areSame({ traits }: KnownLimits, one: CallNames, other: CallNames): boolean {
  for (const field of SCOPE_FIELDS) if (one[field] !== other[field]) return false;
  for (const { trait } of traits) if (traitIn(one, trait) !== traitIn(other, trait)) return false;
  return true;
}

/** Ids are printable, so a line break cannot be part of one. Other names are written with none. */
function limitSetKey(matters: KnownLimits, keyId: string, names: CallNames): string {
  let key = keyId;
  for (const [kind, field] of SINGLE_FIELDS) {
    const name = names[field];
    if (name !== undefined && matters.has(kind, name)) key += `\n${kind} ${name}`;
  }
  if (names.customer_id !== undefined && matters.customer) key += `\ncustomer ${names.customer_id}`;
  for (const { trait, isMatter } of matters.traits) {
    const value = traitIn(names, trait);
    if (value !== null && isMatter(value)) key += `\n${trait} ${JSON.stringify(value)}`;
  }
  return key;
}
