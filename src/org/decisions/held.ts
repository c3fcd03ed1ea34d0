import type { Draw } from "../../domain/credit.ts";
import { METERS, type Phase } from "../../contract/meter-kinds.ts";
import { amountOf } from "../../domain/kinds.ts";
import type { Meter } from "../../domain/meter.ts";

/** What a hold reserves in addition to the same amount of dollars in each limit. */
export interface HeldBeside {
  readonly tokens: number;
  readonly chain: string | null;
  /** What is reserved of each credit pack, by id. */
  readonly packs: Readonly<Record<string, string>>;
}

const NOTHING: HeldBeside = { tokens: 0, chain: null, packs: {} };

/** As stored in its row. Null if it reserves dollars only. */
export function writeBeside(tokens: number, chain: string | null, packs: readonly Draw[]): string {
  const amounts = packs.map(({ pack, amount }) => [pack.meter.id, String(amount)] as const);
  const beside: HeldBeside = { tokens, chain, packs: Object.fromEntries(amounts) };
  return JSON.stringify(beside);
}

export function besideOf({ beside }: { readonly beside: string | null }): HeldBeside {
  return beside === null ? NOTHING : (JSON.parse(beside) as HeldBeside);
}

/** The phase whose limits were checked for it. */
export function phaseOf({ beside }: { readonly beside: string | null }): Phase {
  return beside === null ? "decision" : "run";
}

/** How much of one limit a hold reserves. */
export function heldIn(
  { kind, id }: Pick<Meter, "kind" | "id">,
  hold: { readonly amount: string; readonly beside: string | null },
): bigint {
  const { tokens, packs } = besideOf(hold);
  if (kind === "credit_pack") return BigInt(packs[id] ?? 0);
  const { unit } = METERS[kind];
  return unit === "depth" ? 0n : amountOf(unit, { nanos: BigInt(hold.amount), tokens, depth: 0 });
}
