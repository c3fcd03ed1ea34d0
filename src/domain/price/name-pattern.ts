/**
 * Names as the price book writes them: `#` is any digit, `*` any text, and upper case equals lower case. A pattern with
 * a leading `!` excludes names. Matching takes no more steps than the product of both lengths, whatever the pattern is.
 */
export type NamePattern = (lowerCaseName: string) => boolean;

const EXCLUDES = "!";

export function isExclusion(pattern: string): boolean {
  return pattern.startsWith(EXCLUDES);
}

/** Returns whether a pattern stands for one name only. */
export function isLiteral(pattern: string): boolean {
  return !/[*#]/.test(pattern) && !isExclusion(pattern);
}

export function namePattern(pattern: string): NamePattern {
  const [first = "", ...rest] = pattern.toLowerCase().split("*");
  const last = rest.pop();
  if (last === undefined) return (name) => name.length === first.length && fitsAt(name, first, 0);
  return (name) => {
    const end = name.length - last.length;
    if (first.length > end || !fitsAt(name, first, 0) || !fitsAt(name, last, end)) return false;
    let from = first.length;
    // Each part has a fixed length, so the first place where it fits leaves the most for the parts after it.
    for (const part of rest) {
      const found = placeOf(name, part, from, end);
      if (found === null) return false;
      from = found + part.length;
    }
    return true;
  };
}

/** Returns whether one of the patterns matches, and none excludes the name. */
export function anyPattern(patterns: readonly string[]): NamePattern {
  const included = patterns.filter((one) => !isExclusion(one)).map(namePattern);
  const excluded = patterns.filter(isExclusion).map((one) => namePattern(one.slice(EXCLUDES.length)));
  return (name) => included.some((fits) => fits(name)) && !excluded.some((fits) => fits(name));
}

function placeOf(name: string, part: string, from: number, end: number): number | null {
  for (let at = from; at + part.length <= end; at += 1) if (fitsAt(name, part, at)) return at;
  return null;
}

function fitsAt(name: string, part: string, at: number): boolean {
  for (let index = 0; index < part.length; index += 1) {
    const expected = part[index];
    const there = name[at + index];
    if (there === undefined) return false;
    if (expected === "#" ? there < "0" || there > "9" : there !== expected) return false;
  }
  return true;
}
