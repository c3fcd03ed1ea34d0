import { findCard } from "./cards.ts";
import { takeSteps, type StepBudget } from "../policy/step-budget.ts";

type Finder = (text: string, stepBudget: StepBudget) => string | undefined;

/**
 * The built-in detectors. Each returns the matching text or nothing. Every quantifier is bounded, and no expression can
 * start inside what it has just read, so each takes linear time: a fixed maximum of steps per character, plus what it
 * takes itself while reading.
 */
export const BUILT_INS = {
  email: { stepsPerCharacter: 3, find: findEmail },
  phone: {
    stepsPerCharacter: 2,
    find: firstOf([
      /(?<![\w+.-])\+[1-9]\d{0,2}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d(?:[ .-]?\d){6,11}(?![\w])/,
      /(?<![\w.+/=-])(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[-. ])[2-9]\d{2}[-. ]\d{4}(?![\w-]|\.\d)/,
    ]),
  },
  credit_card: { stepsPerCharacter: 1, find: findCard },
  us_ssn: {
    stepsPerCharacter: 1,
    find: firstOf([
      /(?<![\w-])(?!000|666|9)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\w-])/,
      /\b(?:ssn|social security(?: number| no)?)\b[^\w\n]{1,5}(?:is )?(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}(?!\w)/i,
    ]),
  },
  api_key: { stepsPerCharacter: 3, find: findApiKey },
  private_key: { stepsPerCharacter: 1, find: findPrivateKey },
  prompt_injection: {
    stepsPerCharacter: 6,
    find: firstOf([
      /\b(?:ignore|disregard|forget|override|skip)\W{1,3}(?:\w{1,12}\W{1,3}){0,4}?(?:previous|prior|above|earlier|preceding|foregoing|initial|original|system|your)\W{1,3}(?:\w{1,12}\W{1,3}){0,2}?(?:instructions?|prompts?|rules?|directions?|guidelines?|messages?|context|programming|training)\b/i,
      /\bforget\W{1,3}(?:everything|all)\W{1,3}(?:\w{1,12}\W{1,3}){0,3}?(?:above|before|told|said|know|learned)\b/i,
      /\b(?:reveal|print|show|repeat|output|display|leak|tell me)\W{1,3}(?:\w{1,12}\W{1,3}){0,4}?(?:system|hidden|initial|secret|developer)\W{1,3}(?:prompt|instructions?|message)\b/i,
      /\byou are (?:now|no longer)\W{1,3}(?:\w{1,12}\W{1,3}){0,5}?(?:dan|unrestricted|unfiltered|jailbroken|developer mode|bound|restricted|an ai)\b/i,
      /\b(?:do anything now|jailbreak(?:ed)? mode|developer mode (?:enabled|on)|dan mode)\b/i,
      /\b(?:bypass|disable|turn off|circumvent)\W{1,3}(?:\w{1,12}\W{1,3}){0,3}?(?:safety|guardrails?|moderation|content\W(?:filters?|checks?|policy|policies))\b/i,
      /\b(?:pretend|act|respond|answer|behave)\W{1,3}(?:\w{1,12}\W{1,3}){0,6}?(?:without|no|ignoring)\W{1,3}(?:\w{1,12}\W{1,3}){0,2}?(?:restrictions?|limitations?|filters?|rules|guidelines|censorship)\b/i,
      /<\|(?:im_start|system|endoftext)\|>|\[\/?INST\]|<<SYS>>|^#{2,4} ?(?:system|new instructions?) ?:/im,
    ]),
  },
} as const satisfies Readonly<Record<string, { stepsPerCharacter: number; find: Finder }>>;

export type BuiltIn = keyof typeof BUILT_INS;

function firstOf(patterns: readonly RegExp[]): (text: string) => string | undefined {
  return (text) => {
    for (const pattern of patterns) {
      const found = pattern.exec(text);
      if (found) return found[0];
    }
    return undefined;
  };
}

const PRIVATE_KEY =
  /-{4,5} ?BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}|PuTTY-User-Key-File-\d: /;
const PRIVATE_KEY_WORDS = ["PRIVATE KEY", "PuTTY-User-Key-File-"];
const PRIVATE_KEY_STEPS = 5;

/** A cheap test first: few texts contain these words. */
function findPrivateKey(text: string, stepBudget: StepBudget): string | undefined {
  if (!PRIVATE_KEY_WORDS.some((words) => text.includes(words))) return undefined;
  return takeSteps(stepBudget, text.length * PRIVATE_KEY_STEPS) ? PRIVATE_KEY.exec(text)?.[0] : undefined;
}

const EMAIL =
  /(?<![\w.%+-])[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,8}([A-Za-z]{2,24})(?![A-Za-z0-9-])/g;
/** `logo@2x.png` and `git@host:repo` look like addresses but are not. */
const FILE_TYPES = new Set("png jpg jpeg gif svg webp avif css js ts json html pdf".split(" "));

/** A cheap test first: most texts have no such sign. */
function findEmail(text: string): string | undefined {
  if (!text.includes("@")) return undefined;
  for (const found of text.matchAll(EMAIL)) {
    const isRepository = found[0].startsWith("git@") && text.charAt(found.index + found[0].length) === ":";
    if (!isRepository && !FILE_TYPES.has((found[1] ?? "").toLowerCase())) return found[0];
  }
  return undefined;
}

const KEYS = firstOf([
  /(?<![A-Za-z0-9_-])sk-(?=[\w-]{0,60}\d)(?:proj-|ant-|or-|svcacct-)?(?:[A-Za-z0-9]{1,8}-)?[A-Za-z0-9_-]{20,200}/,
  /(?<![A-Za-z0-9])(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])/,
  /(?<![A-Za-z0-9_])(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{22,255}|npm_[A-Za-z0-9]{36}|hf_[A-Za-z]{34})/,
  /(?<![A-Za-z0-9_])(?:glpat-[\w-]{20,64}|xox[abeprs]-[A-Za-z0-9-]{10,250}|SG\.[\w-]{22}\.[\w-]{43})/,
  /(?<![A-Za-z0-9_-])AIza[\w-]{35}(?![\w-])/,
  /(?<![A-Za-z0-9_])(?:[sr]k_(?:live|test)_[A-Za-z0-9]{16,250}|whsec_[A-Za-z0-9+/=]{24,100})/,
  /(?<![A-Za-z0-9_])svc_(?:live|test)_[0-9A-Z]{52}_[0-9A-Za-z]{49}/,
  /(?<![\w-])eyJ[\w-]{10,1000}\.eyJ[\w-]{10,2000}\.[\w-]{10,1000}/,
]);
const ASSIGNED =
  /(?:api[_-]?key|secret(?:[_-]?key)?|access[_-]?token|auth[_-]?token|client[_-]?secret|password)["']?\s{0,4}(?:[:=]|=>|is)\s{0,4}["']?([A-Za-z0-9_/+.-]{20,200})/gi;

/** A value that is named as a key counts if it looks random: letters and digits, with few repeats. */
function findApiKey(text: string): string | undefined {
  const known = KEYS(text);
  if (known !== undefined) return known;
  for (const found of text.matchAll(ASSIGNED)) {
    const value = found[1] ?? "";
    const drawn = /\d/.test(value) && /[A-Za-z]/.test(value) && new Set(value).size >= 10;
    if (drawn && !/^(?:https?|your|example|xxx|process\.env)/i.test(value)) return value;
  }
  return undefined;
}
