import type { MatchLogic } from "@pydantic/genai-prices";

const DATES = ["-########", "-####-##-##", "@########"];
const MOST = 50;
const LONGEST = 200;

/** The names that certainly match: literal names, and dated versions if any name with that prefix matches. */
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
