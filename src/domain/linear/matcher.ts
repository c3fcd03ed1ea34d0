import { takeSteps, type StepBudget } from "../policy/step-budget.ts";
import { BEFORE, beforeNext, contextOf, END } from "./context.ts";
import { type Program, STEP } from "./program.ts";
import { type Places, States, UNKNOWN } from "./states.ts";

const LATIN = 256;
const LAST_UNIT = 0xff_ff;

/** The extra cost of a character outside Latin-1, whose class must be searched. */
const UNUSUAL_STEPS = 6;
/** The base cost of a new transition, in addition to its instructions. */
const NEW_TRANSITION_STEPS = 120;
const INSTRUCTION_STEPS = 6;
/** The match ends before the next character. */
const MATCHED = -1;

export type SearchResult = { end: number } | "nothing" | "too_costly";

/**
 * Runs a program over a text and pays for each step. A state is the set of all positions of the program. Transitions
 * are cached per class of characters, so most characters cost one step. A new transition costs steps for each
 * instruction. A text costs at most its length times the cost of the whole program.
 */
export class LinearMatcher {
  readonly #program: Program;
  readonly #states: States;
  /** The column of each Latin character. */
  readonly #latin = new Uint8Array(LATIN);
  readonly #stack: Int32Array;
  readonly #seen: Float64Array;
  #round = 0;

  constructor(program: Program) {
    this.#program = program;
    const columns = new Map<number, number>();
    for (let rune = 0; rune < LATIN; rune += 1) {
      const runeClass = program.classOf(rune);
      const column = columns.get(runeClass) ?? columns.size;
      columns.set(runeClass, column);
      this.#latin[rune] = column;
    }
    this.#states = new States(program.size, columns.size);
    this.#stack = new Int32Array(2 * program.size + 2);
    this.#seen = new Float64Array(program.size);
  }

  /** The end of the match that ends first. */
  find(text: string, stepBudget: StepBudget): SearchResult {
    // A cheap test first: few texts have the beginning of a match in them.
    if (!text.includes(this.#program.beginning)) {
      return takeSteps(stepBudget, text.length) ? "nothing" : "too_costly";
    }
    const latin = this.#latin;
    const states = this.#states;
    const { columns } = states;
    let state = this.#start();
    let { left } = stepBudget;
    for (let at = 0; at < text.length && left > 0; at += 1) {
      const unit = text.charCodeAt(at);
      let next: number = unit < LATIN ? (states.table[state * columns + (latin[unit] ?? 0)] ?? 0) : UNKNOWN;
      left -= 1;
      if (next === UNKNOWN) {
        const rune = unit < LATIN ? unit : (text.codePointAt(at) ?? unit);
        stepBudget.left = left;
        next = this.#nextOf(state, rune, stepBudget);
        ({ left } = stepBudget);
        if (rune > LAST_UNIT) at += 1;
      }
      if (next === MATCHED) {
        stepBudget.left = left;
        return { end: at };
      }
      state = next;
    }
    stepBudget.left = left;
    if (left <= 0) return "too_costly";
    return this.#nextOf(state, END, stepBudget) === MATCHED ? { end: text.length } : "nothing";
  }

  #start(): number {
    const set = new Uint32Array(Math.ceil(this.#program.size / 32));
    add(set, this.#program.start);
    return this.#states.numberOf({ set, before: BEFORE.start });
  }

  #nextOf(state: number, rune: number, stepBudget: StepBudget): number {
    const isLatin = rune !== END && rune < LATIN;
    const runeClass = rune === END ? END : this.#program.classOf(rune);
    if (!isLatin) {
      stepBudget.left -= UNUSUAL_STEPS;
      const known = this.#states.other(state, runeClass);
      if (known !== UNKNOWN) return known;
    }
    const from = this.#states.get(state);
    const places = this.#step(from, rune, stepBudget);
    const next = places === null ? MATCHED : this.#states.numberOf(places);
    this.#states.note(from, state, isLatin ? { column: this.#latin[rune] ?? 0 } : { runeClass }, next);
    return next;
  }

  /** Follows all instructions that need no input, then reads a character. Null if that is a match. */
  #step({ set, before }: Places, rune: number, stepBudget: StepBudget): Places | null {
    const { steps, out, arg, reads, start, size, asserts } = this.#program;
    const context = asserts ? contextOf(before, rune) : 0;
    const next = new Uint32Array(set.length);
    const stack = this.#stack;
    this.#round += 1;
    let visited = 0;
    let isMatch = false;
    let height = 0;
    for (let at = 0; at < size; at += 1) {
      if (((set[at >>> 5] ?? 0) & (1 << (at & 31))) !== 0) stack[height++] = at;
      while (height > 0) {
        const pc = stack[--height] ?? 0;
        if (this.#seen[pc] === this.#round) continue;
        this.#seen[pc] = this.#round;
        visited += 1;
        const step = steps[pc] ?? STEP.stop;
        const to = out[pc] ?? 0;
        if (step === STEP.match) isMatch = true;
        else if (step === STEP.read) {
          if (rune !== END && reads(pc, rune)) add(next, to);
        } else if (step === STEP.fork) {
          stack[height++] = arg[pc] ?? 0;
          stack[height++] = to;
        } else if (step === STEP.go || (step === STEP.assert && ((arg[pc] ?? 0) & ~context) === 0)) {
          stack[height++] = to;
        }
      }
    }
    stepBudget.left -= NEW_TRANSITION_STEPS + visited * INSTRUCTION_STEPS + (size >>> 2);
    if (isMatch) return null;
    add(next, start);
    return { set: next, before: asserts ? beforeNext(rune) : BEFORE.start };
  }
}

function add(set: Uint32Array, place: number): void {
  set[place >>> 5] = (set[place >>> 5] ?? 0) | (1 << (place & 31));
}
