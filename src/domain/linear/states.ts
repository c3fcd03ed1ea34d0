/** The maximum size of one program's cached states, in 4-byte words. */
const REMEMBERED = 16_384;
const REMEMBERED_PER_INSTRUCTION = 64;
/** The size of a state without its set and its row. */
const WORDS_PER_STATE = 32;
const FEWEST_STATES = 16;
const FIRST_ROWS = 16;

/** Not a state: the transition is not known yet. */
export const UNKNOWN = 0;

/** Positions in a program, and the context before the next character. */
export interface Places {
  readonly set: Uint32Array;
  readonly before: number;
}

/**
 * The cached states of a program, numbered from 1, with their transitions for each class of characters. If there are
 * too many, the cache is cleared and filled again.
 */
export class States {
  /** A row for each state, a column for each class of Latin characters. */
  table: Int32Array;
  readonly columns: number;
  readonly #most: number;
  #all: Places[] = [];
  #others: Map<number, number>[] = [];
  readonly #numbers = new Map<number, number[]>();

  constructor(programSize: number, columns: number) {
    this.columns = columns;
    const words = Math.ceil(programSize / 32) + columns + WORDS_PER_STATE;
    const most = Math.floor((REMEMBERED + REMEMBERED_PER_INSTRUCTION * programSize) / words);
    this.#most = Math.max(most, FEWEST_STATES);
    this.table = new Int32Array(FIRST_ROWS * columns);
  }

  get(state: number): Places {
    const places = this.#all[state - 1];
    if (places === undefined) throw new Error(`a matcher was in state ${state}, which is not known`);
    return places;
  }

  /** The number of the state that has these positions. */
  numberOf(places: Places): number {
    const key = hashOf(places);
    const known = this.#numbers.get(key)?.find((state) => isSame(this.get(state), places));
    if (known !== undefined) return known;
    if (this.#all.length >= this.#most) this.#forget();
    this.#all.push(places);
    this.#others.push(new Map());
    const state = this.#all.length;
    if ((state + 1) * this.columns > this.table.length) this.#grow();
    const there = this.#numbers.get(key);
    if (there === undefined) this.#numbers.set(key, [state]);
    else there.push(state);
    return state;
  }

  /** Where a class outside Latin-1, or the end, leads from a state. */
  other(state: number, runeClass: number): number {
    return this.#others[state - 1]?.get(runeClass) ?? UNKNOWN;
  }

  /** Valid only while the state is cached. */
  note(from: Places, state: number, where: { column: number } | { runeClass: number }, to: number): void {
    if (this.#all[state - 1] !== from) return;
    if ("column" in where) this.table[state * this.columns + where.column] = to;
    else this.#others[state - 1]?.set(where.runeClass, to);
  }

  #forget(): void {
    this.#all = [];
    this.#others = [];
    this.#numbers.clear();
    this.table.fill(UNKNOWN);
  }

  #grow(): void {
    const table = new Int32Array(this.table.length * 2);
    table.set(this.table);
    this.table = table;
  }
}

function hashOf({ set, before }: Places): number {
  let hash = before + 1;
  for (let at = 0; at < set.length; at += 1) hash = Math.imul(hash ^ (set[at] ?? 0), 0x01_00_01_93);
  return hash;
}

function isSame(one: Places, other: Places): boolean {
  if (one.before !== other.before) return false;
  for (let at = 0; at < one.set.length; at += 1) if (one.set[at] !== other.set[at]) return false;
  return true;
}
