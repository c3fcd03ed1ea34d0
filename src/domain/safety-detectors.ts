/**
 * The built-in detectors. Each gives back the offending text, or nothing. Every quantifier is bounded and no
 * expression can start in the middle of what it has just read, so each takes time linear in the text.
 */
export const BUILT_INS = {
  email: findEmail,
  phone: firstOf([
    /(?<![\w+.-])\+[1-9]\d{0,2}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d(?:[ .-]?\d){6,11}(?![\w])/,
    /(?<![\w.+/=-])(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[-. ])[2-9]\d{2}[-. ]\d{4}(?![\w-]|\.\d)/,
  ]),
  credit_card: findCard,
  us_ssn: firstOf([
    /(?<![\w-])(?!000|666|9)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\w-])/,
    /\b(?:ssn|social security(?: number| no)?)\b[^\w\n]{1,5}(?:is )?(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}(?!\w)/i,
  ]),
  api_key: findApiKey,
  private_key: firstOf([
    /-{4,5} ?BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}|PuTTY-User-Key-File-\d: /,
  ]),
  prompt_injection: firstOf([
    /\b(?:ignore|disregard|forget|override|skip)\W{1,3}(?:\w{1,12}\W{1,3}){0,4}?(?:previous|prior|above|earlier|preceding|foregoing|initial|original|system|your)\W{1,3}(?:\w{1,12}\W{1,3}){0,2}?(?:instructions?|prompts?|rules?|directions?|guidelines?|messages?|context|programming|training)\b/i,
    /\bforget\W{1,3}(?:everything|all)\W{1,3}(?:\w{1,12}\W{1,3}){0,3}?(?:above|before|told|said|know|learned)\b/i,
    /\b(?:reveal|print|show|repeat|output|display|leak|tell me)\W{1,3}(?:\w{1,12}\W{1,3}){0,4}?(?:system|hidden|initial|secret|developer)\W{1,3}(?:prompt|instructions?|message)\b/i,
    /\byou are (?:now|no longer)\W{1,3}(?:\w{1,12}\W{1,3}){0,5}?(?:dan|unrestricted|unfiltered|jailbroken|developer mode|bound|restricted|an ai)\b/i,
    /\b(?:do anything now|jailbreak(?:ed)? mode|developer mode (?:enabled|on)|dan mode)\b/i,
    /\b(?:bypass|disable|turn off|circumvent)\W{1,3}(?:\w{1,12}\W{1,3}){0,3}?(?:safety|guardrails?|moderation|content\W(?:filters?|checks?|policy|policies))\b/i,
    /\b(?:pretend|act|respond|answer|behave)\W{1,3}(?:\w{1,12}\W{1,3}){0,6}?(?:without|no|ignoring)\W{1,3}(?:\w{1,12}\W{1,3}){0,2}?(?:restrictions?|limitations?|filters?|rules|guidelines|censorship)\b/i,
    /<\|(?:im_start|system|endoftext)\|>|\[\/?INST\]|<<SYS>>|^#{2,4} ?(?:system|new instructions?) ?:/im,
  ]),
} as const satisfies Readonly<Record<string, (text: string) => string | undefined>>;

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

const EMAIL =
  /(?<![\w.%+-])[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,8}([A-Za-z]{2,24})(?![A-Za-z0-9-])/g;
/** `logo@2x.png` and `git@host:repo` have the shape and are none. */
const FILE_TYPES = new Set("png jpg jpeg gif svg webp avif css js ts json html pdf".split(" "));

function findEmail(text: string): string | undefined {
  for (const found of text.matchAll(EMAIL)) {
    const isRepository = found[0].startsWith("git@") && text.charAt(found.index + found[0].length) === ":";
    if (!isRepository && !FILE_TYPES.has((found[1] ?? "").toLowerCase())) return found[0];
  }
  return undefined;
}

/** Issuers' prefixes and the lengths they use: digits that pass Luhn by chance mostly have neither. */
const CARDS: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^(?:6011|64[4-9]|65|62|35)/, [16, 17, 18, 19]],
  [/^3(?:0[0-5]|[689])/, [14]],
];
/** Looks ahead from each group of digits, so a card is found behind an order number too. */
const DIGITS = /(?<!\w)(?=(\d(?:[ .-]?\d){12,18}))\d/g;
/** Cards are printed in groups; `4 8 15 16 23 42` is a list. */
const SMALLEST_GROUP = 3;
/** Space, dot and dash come before the digits in ASCII. */
const ZERO = 48;

function findCard(text: string): string | undefined {
  for (const found of text.matchAll(DIGITS)) {
    const run = found[1] ?? "";
    const digits = run.replaceAll(/\D/g, "");
    const lengths = CARDS.find(([prefix]) => prefix.test(digits))?.[1] ?? [];
    for (const length of lengths) {
      if (digits.length < length || !passesLuhn(digits, length)) continue;
      const end = endOfDigit(run, length);
      const card = run.slice(0, end);
      const grouped = card.split(/\D/).every((group) => group.length >= SMALLEST_GROUP);
      if (grouped && !/\w/.test(text.charAt(found.index + end))) return card;
    }
  }
  return undefined;
}

function endOfDigit(text: string, count: number): number {
  let seen = 0;
  let end = 0;
  while (end < text.length && seen < count) {
    if (text.charCodeAt(end) >= ZERO) seen += 1;
    end += 1;
  }
  return end;
}

function passesLuhn(digits: string, length: number): boolean {
  let sum = 0;
  for (let place = 0; place < length; place++) {
    const digit = digits.charCodeAt(length - 1 - place) - ZERO;
    const doubled = place % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0 && new Set(digits.slice(0, length)).size > 1;
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

/** A value that someone called a key counts when it looks drawn: letters and digits, and few of them twice. */
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
