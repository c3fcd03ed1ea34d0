/** What is taken of each pack, in the order in which packs are drawn from. */
type Taken = readonly bigint[];

const sumOf = (taken: Taken) => taken.reduce((sum, amount) => sum + amount, 0n);

/**
 * Credit packs as the rule says them: a reservation takes what is free, in order, and nothing else may use it. Its run
 * spends from that first, then from what is free, and what no pack has is uncovered. No pack is ever below zero.
 */
export class PackModel {
  readonly #limits: readonly bigint[];
  readonly #open: Taken[] = [];
  readonly #spent: bigint[];

  constructor(limits: readonly bigint[]) {
    this.#limits = limits;
    this.#spent = limits.map(() => 0n);
  }

  packs(): { spent: bigint; held: bigint }[] {
    return this.#limits.map((limit, at) => {
      const [spent, held] = [this.#spent[at] ?? 0n, this.#heldOf(at)];
      if (spent < 0n || held < 0n || spent + held > limit)
        throw new Error(`pack ${at} is drawn past its amount`);
      return { spent, held };
    });
  }

  /** Returns whether there is room. */
  reserve(amount: bigint): boolean {
    if (amount > sumOf(this.#free())) return false;
    this.#open.push(take(this.#free(), amount));
    return true;
  }

  run(amount: bigint): boolean {
    if (amount > sumOf(this.#free())) return false;
    this.#spend(take(this.#free(), amount));
    return true;
  }

  /** Returns what no pack covers. */
  incurred(amount: bigint): bigint {
    const taken = take(this.#free(), amount);
    this.#spend(taken);
    return amount - sumOf(taken);
  }

  release(at: number): void {
    this.#open.splice(at % this.#open.length, 1);
  }

  /** Returns what no pack covers. */
  settle(at: number, amount: bigint): bigint {
    const [own = []] = this.#open.splice(at % this.#open.length, 1);
    const reserved = take(own, amount);
    this.#spend(reserved);
    return this.incurred(amount - sumOf(reserved));
  }

  #heldOf(at: number): bigint {
    return this.#open.reduce((sum, taken) => sum + (taken[at] ?? 0n), 0n);
  }

  #free(): Taken {
    return this.#limits.map((limit, at) => limit - (this.#spent[at] ?? 0n) - this.#heldOf(at));
  }

  #spend(taken: Taken): void {
    for (const [at, amount] of taken.entries()) this.#spent[at] = (this.#spent[at] ?? 0n) + amount;
  }
}

function take(most: Taken, amount: bigint): Taken {
  let rest = amount;
  return most.map((free) => {
    const taken = free < rest ? free : rest;
    rest -= taken;
    return taken;
  });
}
