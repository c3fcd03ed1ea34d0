import { meterRowOf } from "../../contract/meter-kinds.ts";
import { adjustAccount } from "../../domain/adjustment.ts";
import { chargeFact } from "../../domain/admission.ts";
import { type Draw, drawReserved } from "../../domain/credit.ts";
import { newId } from "../../domain/ulid.ts";
import type { Estimate, Tx } from "../kernel/door.ts";
import type { Draft } from "../ledger/draft.ts";
import { heldAmounts, besideOf, heldIn } from "./held.ts";
import { estimateIn, type KeptAsk, keptOf } from "./kept-ask.ts";
import { type HoldRow, letGo, standingOf } from "./store.ts";

/** What an expired hold held is charged in its place, by the run that it becomes. Null: it is only let go. */
export function chargeExpired(
  tx: Tx,
  draft: Draft,
  hold: HoldRow,
): { readonly hold: HoldRow; readonly estimate: Estimate } | null {
  const kept = keptOf(hold);
  const reserved = letGo(draft, hold);
  if (kept?.isCharged !== true) return null;
  const nanos = BigInt(hold.amount);
  const accounts = standingOf(draft, hold).filter(({ meter }) => !meterRowOf(meter.kind).isDrawn);
  const attempt = { nanos, tokens: besideOf(hold).tokens, depth: 0 };
  const charged = chargeFact(accounts, attempt, drawReserved(reserved, nanos));
  const runId = newId("run", tx.now);
  const draws = charged.draws.map(({ pack, amount }) => [pack.meter.id, String(amount)] as const);
  const after: KeptAsk = { ...kept, estimate: { runId, draws: Object.fromEntries(draws) } };
  return {
    hold: { ...hold, asked: JSON.stringify(after) },
    estimate: { ...estimateOf(hold, after, runId), accounts, charged },
  };
}

/** The run that a hold has become, but for what it was charged to. */
export function estimateOf(
  hold: HoldRow,
  { ask, depth, keyId }: KeptAsk,
  runId: string,
): Omit<Estimate, "accounts" | "charged"> {
  return {
    runId,
    reservationId: hold.id,
    keyId: keyId ?? null,
    at: hold.at,
    nanos: BigInt(hold.amount),
    ask,
    depth,
  };
}

/**
 * Takes back what was charged in place of a run, now that the run is known. Returns what it had drawn of which credit
 * packs: that is for the run.
 */
export function takeBack(draft: Draft, hold: HoldRow): readonly Draw[] {
  const estimate = estimateIn(hold);
  if (estimate === null) return [];
  const packs: Draw[] = [];
  const held = heldAmounts(hold);
  for (const entry of standingOf(draft, hold)) {
    if (entry.meter.kind !== "credit_pack") {
      adjustAccount(entry, -heldIn(entry.meter, held));
      continue;
    }
    const amount = BigInt(estimate.draws[entry.meter.id] ?? 0);
    entry.usage = { ...entry.usage, spent: entry.usage.spent - amount };
    packs.push({ pack: entry, amount });
  }
  return packs;
}
