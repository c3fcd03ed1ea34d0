import { meterRowOf } from "../contract/meter-kinds.ts";
import { type Account, countsApart } from "./meter.ts";

/** A hold, as far as its run goes by it. */
interface Settled {
  readonly atMs: number;
  readonly standing: readonly Account[];
}

/**
 * What a run that settles a hold is charged to, each limit once: wherever the hold stands, and what the run's own fields
 * touch. A limit that counts each customer apart is charged where the hold stands. One that was made after the hold
 * counts neither the hold nor its run.
 */
export function settledAccounts(own: readonly Account[], { atMs, standing }: Settled): readonly Account[] {
  const rest = new Map(standing.map((account) => [account.meter.id, account]));
  const charged: Account[] = [];
  for (const account of own) {
    const held = rest.get(account.meter.id);
    rest.delete(account.meter.id);
    if (held !== undefined || !isYounger(account, atMs)) charged.push(held ?? account);
  }
  const isSame = charged.length === own.length && charged.every((account, at) => account === own[at]);
  return isSame && rest.size === 0 ? own : [...charged, ...rest.values()];
}

/** Limits that are not asked at the decision have nothing to do with holds: they count a run when it is recorded. */
function isYounger({ meter }: Account, atMs: number): boolean {
  return meter.sinceMs > atMs && meterRowOf(meter.kind).phases.includes("decision");
}

/** By meter, whose counter was charged, where that is not the one whom the run itself names. */
export function subjectsOf(
  accounts: readonly Account[],
  customerId: string | undefined,
): Readonly<Record<string, string>> | undefined {
  const others = accounts.filter(
    ({ meter, subject }) => meter.scope.kind === "customer" && countsApart(meter) && subject !== customerId,
  );
  if (others.length === 0) return undefined;
  return Object.fromEntries(others.map(({ meter, subject }) => [meter.id, subject]));
}
