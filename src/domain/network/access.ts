import { addressAllowed, parseCidr } from "./address.ts";

/** An org's rules about which addresses its people may use and which regions may serve them. */
export interface EntryRules {
  readonly ipAllowList: readonly string[];
  /** Null means any. */
  readonly regions: readonly string[] | null;
}

export interface RequestOrigin {
  readonly address: string | null;
  /** The region that the request landed in. */
  readonly region: string;
}

export const ENTRY_PROBLEMS = ["ip_not_allowed", "residency_violation"] as const;
export type EntryProblem = (typeof ENTRY_PROBLEMS)[number];

export function isEntryProblem(code: string): code is EntryProblem {
  return ENTRY_PROBLEMS.some((problem) => problem === code);
}

/** Returns why a person of the org is refused here. Null if allowed. An address that cannot be parsed is refused. */
export function entryProblem(rules: EntryRules, from: RequestOrigin): EntryProblem | null {
  const list = rules.ipAllowList.flatMap((text) => parseCidr(text) ?? []);
  const unreadable = rules.ipAllowList.length > 0 && list.length === 0;
  if (unreadable || !addressAllowed(list, from.address ?? "")) return "ip_not_allowed";
  return rules.regions === null || rules.regions.includes(from.region) ? null : "residency_violation";
}
