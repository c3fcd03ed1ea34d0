import type { Draw } from "../../domain/meter/credit.ts";
import type { Phase } from "../../contract/meter-kinds.ts";
import { amountOf, type Attempt } from "../../domain/refusal/limit-denials.ts";
import { type Account, countsGroups, type Meter, countedName, unitOf } from "../../domain/meter/meter.ts";

/** The reservations of a hold in addition to the same amount of dollars in each limit. */
export interface HoldExtras {
  readonly tokens: number;
  readonly chain: string | null;
  /** The amount that is reserved of each credit pack, by id. */
  readonly packs: Readonly<Record<string, string>>;
  /** By limit, the group of calls in whose counter it is. */
  readonly groups?: Groups;
  /** The phase whose limits were checked for it, if not those of a run. */
  readonly phase?: "decision";
}

/** By limit, the group of calls whose counter is meant. */
type Groups = Readonly<Record<string, string>>;

/** A counter in which a hold is. */
export type HoldCounter = Pick<Account, "meter" | "subject">;

const NOTHING: HoldExtras = { tokens: 0, chain: null, packs: {} };

interface HeldBeside extends Pick<HoldExtras, "tokens" | "chain"> {
  readonly phase: Phase;
  readonly packs: readonly Draw[];
  readonly accounts: readonly HoldCounter[];
}

/** As stored in its row. Null if it reserves dollars only. */
export function writeHoldExtras({ phase, tokens, chain, packs, accounts }: HeldBeside): string | null {
  const groups = groupsOf(accounts);
  const isPlain = groups === undefined && !accounts.some(({ meter }) => unitOf(meter) === "tokens");
  if (phase === "decision" && isPlain) return null;
  const amounts = packs.map(({ pack, amount }) => [pack.meter.id, String(amount)] as const);
  const extras: HoldExtras = {
    tokens,
    chain,
    packs: Object.fromEntries(amounts),
    ...(groups === undefined ? {} : { groups }),
    ...(phase === "decision" ? { phase } : {}),
  };
  return JSON.stringify(extras);
}

function groupsOf(accounts: readonly HoldCounter[]): Groups | undefined {
  const grouped = accounts.filter(({ meter }) => countsGroups(meter));
  if (grouped.length === 0) return undefined;
  return Object.fromEntries(grouped.map(({ meter, subject }) => [meter.id, subject]));
}

export function holdExtrasOf({ beside }: { readonly beside: string | null }): HoldExtras {
  return beside === null ? NOTHING : (JSON.parse(beside) as HoldExtras);
}

/** The phase whose limits were checked for it. */
export function phaseOf(hold: { readonly beside: string | null }): Phase {
  return hold.beside === null ? "decision" : (holdExtrasOf(hold).phase ?? "run");
}

/** Returns whose counter of a limit a hold is in. */
export function subjectIn(
  meter: Meter,
  hold: { readonly customer_id: string | null; readonly beside: string | null },
): string {
  const { chain, groups } = holdExtrasOf(hold);
  if (countsGroups(meter)) return groups?.[meter.id] ?? "";
  return countedName(meter, { chain, customer: hold.customer_id });
}

/** The amounts that a hold reserves, in every unit and of each credit pack. */
type HeldAmounts = Attempt & Pick<HoldExtras, "packs">;

export function readHeldAmounts(hold: {
  readonly amount: string;
  readonly beside: string | null;
}): HeldAmounts {
  const { tokens, packs } = holdExtrasOf(hold);
  return { nanos: BigInt(hold.amount), tokens, depth: 0, packs };
}

/** How much of one limit it reserves. */
export function readHeldAmount(meter: Pick<Meter, "kind" | "id" | "unit">, held: HeldAmounts): bigint {
  if (meter.kind === "credit_pack") return BigInt(held.packs[meter.id] ?? 0);
  const unit = unitOf(meter);
  return unit === "depth" ? 0n : amountOf(unit, held);
}
