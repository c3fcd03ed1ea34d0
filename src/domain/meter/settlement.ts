import { meterRowOf, type Phase } from "../../contract/meter-kinds.ts";
import { type Account, countsApart, countsGroups, type EachNames, countedName } from "./meter.ts";
import { type CallNames, groupOf } from "./traits.ts";

/** A hold, as far as the charge of its run depends on it. */
interface SettledHold {
  readonly atMs: number;
  /** The phase whose limits were checked for it. */
  readonly phase: Phase;
  readonly standing: readonly Account[];
}

/**
 * Returns what a run that settles a hold is charged to, each limit once: the limits of the hold, and those that the
 * run's own fields touch. If a limit counts customers, chains or groups separately, the run is charged where the hold
 * is. A limit that was created after the hold counts neither the hold nor its run. Credit packs are drawn from, not
 * charged.
 */
export function selectSettledAccounts(
  own: readonly Account[],
  { atMs, phase, standing }: SettledHold,
): readonly Account[] {
  const counting = standing.filter(({ meter }) => !meterRowOf(meter.kind).isDrawn);
  const rest = new Map(counting.map((account) => [account.meter.id, account]));
  const charged: Account[] = [];
  for (const account of own) {
    const held = rest.get(account.meter.id);
    rest.delete(account.meter.id);
    if (held !== undefined || !isYounger(account, atMs, phase)) charged.push(held ?? account);
  }
  const isSame = charged.length === own.length && charged.every((account, at) => account === own[at]);
  return isSame && rest.size === 0 ? own : [...charged, ...rest.values()];
}

/** Limits that were not checked for the hold count its run when it is recorded. */
function isYounger({ meter }: Account, atMs: number, phase: Phase): boolean {
  return meter.sinceMs > atMs && meterRowOf(meter.kind).phases.includes(phase);
}

/** The fields of a run, as they are stored. */
export interface SettledCall extends EachNames {
  readonly names: CallNames;
}

/** By meter: the subject whose counter was charged, if it is not the one that the run names. */
export function subjectsOf(
  accounts: readonly Account[],
  said: SettledCall,
): Readonly<Record<string, string>> | undefined {
  const others = accounts.filter((account) => countsApart(account.meter) && !isOwn(account, said));
  if (others.length === 0) return undefined;
  return Object.fromEntries(others.map(({ meter, subject }) => [meter.id, subject]));
}

function isOwn({ meter, subject }: Account, said: SettledCall): boolean {
  if (countsGroups(meter)) return subject === groupOf(said.names, meter.match?.groupBy ?? []);
  return subject === countedName(meter, said);
}
