import type { MatchLogic } from "@pydantic/genai-prices";
import { isExclusion } from "../../src/domain/price/name-pattern.ts";
import { patternsOfRegex } from "./regex-patterns.ts";

/** A rule of the catalog as patterns of the book. Null if it has a part that they cannot express. */
export function patternsIn(match: MatchLogic): string[] | null {
  const patterns = patternsOf(match);
  if (patterns === null || patterns.every(isExclusion)) return null;
  return [...new Set(patterns)];
}

function patternsOf(match: MatchLogic): string[] | null {
  if ("or" in match) return joined(match.or.map(patternsOf));
  if ("and" in match) return allOf(match.and);
  if ("equals" in match) return [match.equals];
  if ("starts_with" in match) return [`${match.starts_with}*`];
  if ("ends_with" in match) return [`*${match.ends_with}`];
  if ("contains" in match) return [`*${match.contains}*`];
  return patternsOfRegex(match.regex);
}

/**
 * What must be true together: one thing that a name is, and otherwise only what it is not. Two texts that a name contains
 * may come in either order.
 */
function allOf(parts: readonly MatchLogic[]): string[] | null {
  const [one, other, ...more] = parts;
  if (one !== undefined && other !== undefined && "contains" in one && "contains" in other) {
    const [a, b] = [one.contains, other.contains];
    return more.length === 0 ? [`*${a}*${b}*`, `*${b}*${a}*`] : null;
  }
  const all = parts.map(patternsOf);
  const positive = all.filter((patterns) => patterns?.some((pattern) => !isExclusion(pattern)) === true);
  return positive.length === 1 ? joined(all) : null;
}

function joined(all: readonly (string[] | null)[]): string[] | null {
  const patterns: string[] = [];
  for (const one of all) {
    if (one === null) return null;
    patterns.push(...one);
  }
  return patterns;
}
