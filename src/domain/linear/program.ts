import type { RE2JS } from "re2js";

/** The instruction codes of re2js. */
const OP = {
  alt: 1,
  altMatch: 2,
  capture: 3,
  emptyWidth: 4,
  fail: 5,
  match: 6,
  nop: 7,
  rune: 8,
  rune1: 9,
  runeAny: 10,
  runeAnyNotNewline: 11,
} as const;

interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  readonly runes: readonly number[];
  matchRune(rune: number): boolean;
}

interface CompiledProgram {
  readonly start: number;
  numInst(): number;
  getInst(at: number): Instruction;
}

/** The action of the matcher at an instruction. */
export const STEP = { stop: 0, go: 1, fork: 2, assert: 3, read: 4, match: 5 } as const;

const STEPS: Readonly<Record<number, number>> = {
  [OP.alt]: STEP.fork,
  [OP.altMatch]: STEP.fork,
  [OP.capture]: STEP.go,
  [OP.nop]: STEP.go,
  [OP.emptyWidth]: STEP.assert,
  [OP.fail]: STEP.stop,
  [OP.match]: STEP.match,
  [OP.rune]: STEP.read,
  [OP.rune1]: STEP.read,
  [OP.runeAny]: STEP.read,
  [OP.runeAnyNotNewline]: STEP.read,
};

/** A compiled pattern, as the matcher needs it: what to do at each instruction, and where to go from there. */
export interface Program {
  readonly size: number;
  readonly start: number;
  readonly steps: Uint8Array;
  readonly out: Int32Array;
  /** The second branch of a fork, or what an assertion requires. */
  readonly arg: Int32Array;
  /** What every match begins with, as far as that is one text, and short. */
  readonly beginning: string;
  /** True if the characters before and after matter. */
  readonly asserts: boolean;
  readonly reads: (at: number, rune: number) => boolean;
  /** Characters of one class are the same to every instruction. */
  readonly classOf: (rune: number) => number;
}

export function programOf(regex: RE2JS): Program {
  const { prog, dfa } = regex.re2();
  const compiled = prog as CompiledProgram;
  const size = compiled.numInst();
  const all = Array.from({ length: size }, (_, at) => compiled.getInst(at));
  const steps = Uint8Array.from(all, ({ op }) => STEPS[op] ?? unknown(op));
  return {
    size,
    start: compiled.start,
    steps,
    out: Int32Array.from(all, ({ out }) => out),
    arg: Int32Array.from(all, ({ arg }) => arg),
    beginning: beginningOf(all, compiled.start),
    asserts: steps.includes(STEP.assert),
    reads: (at, rune) => all[at]?.matchRune(rune) === true,
    classOf: (rune) => dfa.runeClass(rune),
  };
}

/** A text can be looked for in linear time only if it is short: the runtime has no tables for longer ones. */
const LONGEST_BEGINNING = 64;

/** Follows the instructions until one has a choice. */
function beginningOf(all: readonly Instruction[], start: number): string {
  let beginning = "";
  for (let at = all[start]; at !== undefined && beginning.length < LONGEST_BEGINNING; at = all[at.out]) {
    const [rune] = at.runes;
    if (at.op === OP.rune1 && rune !== undefined) beginning += String.fromCodePoint(rune);
    else if (at.op !== OP.capture && at.op !== OP.nop && at.op !== OP.emptyWidth) break;
  }
  return beginning;
}

function unknown(op: number): never {
  throw new Error(`the pattern has an instruction of kind ${op}, which is not known`);
}
