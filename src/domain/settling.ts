import { type Account, countsApart } from "./meter.ts";

/**
 * What a run that settles a hold is charged to, each limit once: wherever the hold stands, and what the run's own fields
 * touch. A limit that counts each customer apart is charged where the hold stands.
 */
export function settledAccounts(own: readonly Account[], standing: readonly Account[]): readonly Account[] {
  const rest = new Map(standing.map((account) => [account.meter.id, account]));
  let isSame = true;
  const charged = own.map((account) => {
    const held = rest.get(account.meter.id);
    rest.delete(account.meter.id);
    if (held === undefined || held === account) return account;
    isSame = false;
    return held;
  });
  return isSame && rest.size === 0 ? own : [...charged, ...rest.values()];
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
