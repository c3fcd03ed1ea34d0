import type { Body } from "./caller.ts";

/** A change that its caller knows was made, and what it was made to. */
export type Change = readonly [action: string, target: string];

/** A run that is sent again changes nothing, and has an entry that says so. */
const isDuplicate = ({ detail }: Body): boolean =>
  (detail as { status?: string } | null)?.status === "duplicate";

/** What an audit log lacks or has too often: each change has one entry. */
export function wrongEntries(changes: readonly Change[], entries: readonly Body[]): string[] {
  const counts = new Map<string, number>();
  for (const entry of entries) {
    if (isDuplicate(entry)) continue;
    const name = `${String(entry["action"])} of ${String(entry["target"])}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return changes.flatMap(([action, target]) => {
    const count = counts.get(`${action} of ${target}`) ?? 0;
    return count === 1 ? [] : [`${action} of ${target} has ${count} audit entries`];
  });
}
