import type { DETECTOR_ACTIONS } from "../../contract/lists.ts";
import type { compileLinear, LinearPattern } from "../linear/pattern.ts";
import { BUILT_INS, type BuiltIn } from "./detectors.ts";
import { textToRead } from "./text.ts";
import { type RunStepBudget, takeSteps, type StepBudget } from "../policy/step-budget.ts";

const LONGEST_SAMPLE = 120;

export type Detector = { id: string; action: (typeof DETECTOR_ACTIONS)[number] } & (
  | { kind: "builtin" }
  | { kind: "pattern"; pattern: string }
);
/** A match, or the fact that the input was too large to scan. */
type DetectorResult = { found: string | undefined } | "too_costly";
type Reader = (text: string, stepBudget: StepBudget) => DetectorResult;
export type DetectorSet = readonly { detector: Detector; read: Reader }[];
/** `isUnread`: the detector found nothing, because it could not finish. */
type DetectorBlock = { detector: string; sample: string; isUnread: boolean };
export type Scan = { blocked: DetectorBlock | undefined; shadowed: string[]; unread: string[] };
/** Compiles each detector once. The order is kept, so the first detector that blocks is named. */
export function detectorSet(
  detectors: readonly Detector[],
  compile: () => typeof compileLinear,
): DetectorSet {
  return detectors.map((detector) => ({ detector, read: reader(detector, compile) }));
}

export function isBuiltIn(id: string): id is BuiltIn {
  return Object.hasOwn(BUILT_INS, id);
}

/** A detector that cannot run must not be skipped, because it was stored to block something. */
function reader(detector: Detector, compile: () => typeof compileLinear): Reader {
  if (detector.kind === "builtin" && isBuiltIn(detector.id)) {
    const { find, stepsPerCharacter } = BUILT_INS[detector.id];
    return (text, stepBudget) => {
      const found = takeSteps(stepBudget, text.length * stepsPerCharacter)
        ? find(text, stepBudget)
        : undefined;
      return found === undefined && stepBudget.left < 0 ? "too_costly" : { found };
    };
  }
  const compiled = compile()(detector.kind === "pattern" ? detector.pattern : "(");
  if ("problem" in compiled) throw new Error(`detector ${detector.id} does not compile`);
  return (text, stepBudget) => readLinear(compiled, text, stepBudget);
}

/** How far before the end of a match its start is searched. */
const BEFORE_END = 240;
const AFTER_END = 120;
/** The cost of an instruction per character when the position is searched. */
const PLACE_STEPS = 8;

/** One cheap scan tells whether there is a match. The position is searched only near its end. */
function readLinear(
  { matcher, regex, instructions }: LinearPattern,
  text: string,
  stepBudget: StepBudget,
): DetectorResult {
  const match = matcher.find(text, stepBudget);
  if (match === "too_costly") return match;
  if (match === "nothing") return { found: undefined };
  const from = Math.max(match.end - BEFORE_END, 0);
  const close = text.slice(from, match.end + AFTER_END);
  const place = regex.matcher(close);
  const isPlaced = takeSteps(stepBudget, close.length * instructions * PLACE_STEPS) && place.find();
  const found = isPlaced
    ? (place.group() ?? "")
    : text.slice(Math.max(match.end - LONGEST_SAMPLE, 0), match.end);
  return { found };
}

const NOTHING: Scan = { blocked: undefined, shadowed: [], unread: [] };

/**
 * Scans `input` and keeps only the sample for the caller. A blocking detector that cannot finish blocks. Shadow
 * detectors come last; one that cannot finish is reported as such.
 */
export function scan(set: DetectorSet, input: unknown, stepBudget: RunStepBudget): Scan {
  if (set.length === 0 || input === undefined || input === null) return NOTHING;
  const text = textToRead(input);
  for (const { detector, read } of set) {
    if (detector.action !== "block") continue;
    const reading = read(text, stepBudget.enforced);
    if (reading === "too_costly") return { ...NOTHING, blocked: blockedBy(detector, text, true) };
    if (reading.found !== undefined)
      return { ...NOTHING, blocked: blockedBy(detector, reading.found, false) };
  }
  const shadowed: string[] = [];
  const unread: string[] = [];
  for (const { detector, read } of set) {
    if (detector.action !== "shadow") continue;
    const reading = read(text, stepBudget.watched);
    if (reading === "too_costly") unread.push(detector.id);
    else if (reading.found !== undefined) shadowed.push(detector.id);
  }
  return { blocked: undefined, shadowed, unread };
}

export interface DetectorTrial {
  readonly id: string;
  readonly kind: Detector["kind"];
  readonly action: Detector["action"];
  /** `unfinished`: the work ran out before the end of the input. A detector that blocks then blocks. */
  readonly result: "found" | "nothing" | "unfinished";
  readonly sample: string | null;
}

/** Returns what every detector finds in an input, also those behind one that blocks. */
export function tryDetectors(set: DetectorSet, input: unknown, stepBudget: RunStepBudget): DetectorTrial[] {
  const text = textToRead(input);
  return set.map(({ detector: { id, kind, action }, read }) => {
    const reading = read(text, action === "block" ? stepBudget.enforced : stepBudget.watched);
    if (reading === "too_costly") return { id, kind, action, result: "unfinished", sample: null };
    const { found } = reading;
    if (found === undefined) return { id, kind, action, result: "nothing", sample: null };
    return { id, kind, action, result: "found", sample: cut(found) };
  });
}

function blockedBy(detector: Detector, text: string, isUnread: boolean): DetectorBlock {
  return { detector: detector.id, sample: cut(text), isUnread };
}

/** Unpaired surrogates left by cutting through a character. */
const HALF_CHARACTERS = /^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g;

function cut(found: string): string {
  return found.slice(0, LONGEST_SAMPLE).replaceAll(HALF_CHARACTERS, "");
}
