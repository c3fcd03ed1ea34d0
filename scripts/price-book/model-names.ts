import type { MatchLogic } from "@pydantic/genai-prices";

const DATES = ["-########", "-####-##-##", "@########"];
const MOST = 50;
const LONGEST = 200;

/** The names that surely match: those that are spelled out, and dated versions where any name with that start does. */
export function namesIn(match: MatchLogic): string[] {
  const names = [...new Set(spelledOut(match))];
  return names.filter((name) => name.length > 0 && name.length <= LONGEST).slice(0, MOST);
}

function spelledOut(match: MatchLogic): string[] {
  if ("or" in match) return match.or.flatMap(spelledOut);
  if ("equals" in match) return [match.equals];
  if ("starts_with" in match) return DATES.map((date) => match.starts_with + date);
  return [];
}
