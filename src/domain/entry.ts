import { addressAllowed, parseCidr } from "./address.ts";

/** An org's own rules about where people come in from, and where their requests are served. */
export interface EntryRules {
  readonly ipAllowList: readonly string[];
  /** Null: any. */
  readonly regions: readonly string[] | null;
}

export interface EntryFrom {
  readonly address: string | null;
  /** The region that the request landed in. */
  readonly region: string;
}

export const ENTRY_PROBLEMS = ["ip_not_allowed", "residency_violation"] as const;
export type EntryProblem = (typeof ENTRY_PROBLEMS)[number];

export function isEntryProblem(code: string): code is EntryProblem {
  return ENTRY_PROBLEMS.some((problem) => problem === code);
}

/** Why a person of the org is not let in from here; null: they are. What cannot be read allows nobody. */
export function entryProblem(rules: EntryRules, from: EntryFrom): EntryProblem | null {
  const list = rules.ipAllowList.flatMap((text) => parseCidr(text) ?? []);
  const unreadable = rules.ipAllowList.length > 0 && list.length === 0;
  if (unreadable || !addressAllowed(list, from.address ?? "")) return "ip_not_allowed";
  return rules.regions === null || rules.regions.includes(from.region) ? null : "residency_violation";
}
