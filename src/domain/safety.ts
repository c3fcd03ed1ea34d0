import { compileLinear, type LinearPattern } from "./linear-pattern.ts";
import { BUILT_INS, type BuiltIn } from "./safety-detectors.ts";

export const DETECTOR_ACTIONS = ["block", "shadow"] as const;
export const MOST_DETECTORS = 30;
const LONGEST_SAMPLE = 120;

export type Detector = { id: string; action: (typeof DETECTOR_ACTIONS)[number] } & (
  | { kind: "builtin" }
  | { kind: "pattern"; pattern: string }
);
export type DetectorSet = readonly { detector: Detector; find: (text: string) => string | undefined }[];
type Finding = { detector: string; sample: string };
export type Scan = { blocked: Finding | undefined; shadowed: string[] };

/** Why a detector cannot be stored, and in which of its fields; undefined when it can. */
export function detectorProblem(
  detector: Detector,
): { field: "id" | "pattern"; problem: string } | undefined {
  if (detector.kind === "builtin") {
    if (isBuiltIn(detector.id)) return undefined;
    return { field: "id", problem: `no such built-in; known are ${Object.keys(BUILT_INS).join(", ")}` };
  }
  if (isBuiltIn(detector.id)) return { field: "id", problem: "the name of a built-in" };
  const compiled = compileLinear(detector.pattern);
  if ("problem" in compiled) return { field: "pattern", problem: compiled.problem };
  if (compiled.regex.test(""))
    return { field: "pattern", problem: "would match every text, the empty one too" };
  return undefined;
}

/** Compiled once; the order stays, so the first detector that blocks is the one that is named. */
export function detectorSet(detectors: readonly Detector[]): DetectorSet {
  return detectors.map((detector) => ({ detector, find: finder(detector) }));
}

function isBuiltIn(id: string): id is BuiltIn {
  return Object.hasOwn(BUILT_INS, id);
}

/** A detector that cannot run must not be passed over: it was stored to stop something. */
function finder(detector: Detector): (text: string) => string | undefined {
  if (detector.kind === "builtin" && isBuiltIn(detector.id)) return BUILT_INS[detector.id];
  const compiled = compileLinear(detector.kind === "pattern" ? detector.pattern : "(");
  if ("problem" in compiled) throw new Error(`detector ${detector.id} does not compile`);
  return (text) => findLinear(compiled, text);
}

/** Most texts hold nothing: whether it matches is much cheaper to know than where. */
function findLinear({ regex }: LinearPattern, text: string): string | undefined {
  if (!regex.test(text)) return undefined;
  const matcher = regex.matcher(text);
  return matcher.find() ? (matcher.group() ?? "") : undefined;
}

/** Reads `input` and keeps nothing of it but the sample that goes back to its sender. */
export function scan(set: DetectorSet, input: unknown): Scan {
  if (set.length === 0 || input === undefined || input === null) return { blocked: undefined, shadowed: [] };
  const text = plain(textOf(input));
  const shadowed: string[] = [];
  for (const { detector, find } of set) {
    const found = find(text);
    if (found === undefined) continue;
    if (detector.action === "shadow") shadowed.push(detector.id);
    else return { blocked: { detector: detector.id, sample: cut(found) }, shadowed };
  }
  return { blocked: undefined, shadowed };
}

/** Every text within, whatever the shape of the input: a prompt, a list of messages, parts of them. */
function textOf(input: unknown): string {
  const texts: string[] = [];
  const rest = [input];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === "string" || typeof next === "number") texts.push(String(next));
    else if (typeof next === "object" && next !== null) {
      for (const [key, value] of Object.entries(next).reverse()) {
        rest.push(value);
        if (!Array.isArray(next)) rest.push(key);
      }
    }
  }
  return texts.join("\n");
}

const INVISIBLE = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\uFEFF]/g;
const NOT_ASCII = /[^\n\r\t -~]/;

/** Wide digits, styled letters and invisible marks inside a word would slip past any expression. */
function plain(text: string): string {
  return NOT_ASCII.test(text) ? text.normalize("NFKC").replaceAll(INVISIBLE, "") : text;
}

function cut(found: string): string {
  const short = found.slice(0, LONGEST_SAMPLE);
  return short.isWellFormed() ? short : short.slice(0, -1);
}
