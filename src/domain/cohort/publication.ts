/** The orgs that one published answer was computed over. */
export type MemberSet = ReadonlySet<string>;

/** How many orgs are in one set and not in the other. */
export function distance(a: MemberSet, b: MemberSet): number {
  let shared = 0;
  for (const org of a) if (b.has(org)) shared += 1;
  return a.size + b.size - 2 * shared;
}

/**
 * Two answers can be subtracted when their members nearly agree: what remains is a handful of orgs. So an answer is
 * given only over a set that is large enough by itself and that, against every set ever answered for the metric, in any
 * cohort and any month, is either the very same or differs by at least the floor.
 */
export function mayPublish(wanted: MemberSet, answered: Iterable<MemberSet>, floor: number): boolean {
  if (wanted.size < floor) return false;
  for (const earlier of answered) {
    const apart = distance(wanted, earlier);
    if (apart > 0 && apart < floor) return false;
  }
  return true;
}

export type Answer = { readonly month: string; readonly members: MemberSet };

/**
 * What a read in `month` is answered with. A month's answer never changes once given. Where this month's members may not
 * be answered, the cohort's latest earlier answer stands as it was, old figures included: showing the old members
 * with new figures would go on using an org that has left. Null: refused.
 */
export function answerFor(
  month: string,
  wanted: MemberSet,
  own: readonly Answer[],
  answered: Iterable<MemberSet>,
  floor: number,
): Answer | null {
  const given = own.find((answer) => answer.month === month);
  const latest = own.filter((answer) => answer.month < month).sort((a, b) => (a.month < b.month ? 1 : -1))[0];
  const fresh = mayPublish(wanted, answered, floor) ? { month, members: wanted } : null;
  const answer = given ?? fresh ?? latest ?? null;
  return answer !== null && answer.members.size >= floor ? answer : null;
}
