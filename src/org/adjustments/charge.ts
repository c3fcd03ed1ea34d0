import { adjustAccount, type CreditBack, drawMore, giveBack } from "../../domain/meter/adjustment.ts";
import { isPool } from "../../domain/meter/admission.ts";
import { unitOf } from "../../domain/meter/meter.ts";
import type { Tx } from "../kernel/door.ts";
import { callNames, runNames, runScopes } from "../../domain/run/segment/run-names.ts";
import { chargesIn } from "../../domain/meter/charge-text.ts";
import { UnitOfWork } from "../ledger/unit-of-work.ts";
import type { MeterAccount } from "../meters/usage.ts";
import type { Run } from "../runs/run.ts";
import type { StoredAdjustment } from "./store.ts";

type AdjustmentCharge = Pick<StoredAdjustment, "charges" | "backdated" | "over" | "draws" | "uncovered">;

/** Charges an amount to every limit that the run was charged to, or gives it back, in memory. */
export function chargeAdjustment(
  tx: Tx,
  run: Run,
  before: readonly StoredAdjustment[],
  amount: bigint,
): { work: UnitOfWork; charged: AdjustmentCharge } {
  const work = new UnitOfWork(tx.sql, "run", tx.now);
  const named = limitsOf(work, run, tx.now);
  const backdated = backdatedOf(work, run, tx.now);
  const entries = [...named, ...backdated];
  const over: Record<string, string> = {};
  for (const entry of entries) {
    const beyond = adjustAccount(entry, amount);
    if (beyond !== 0n) over[entry.meter.id] = String(beyond);
  }
  const credited = adjustCredits(work, creditedSoFar(run, before), run, { amount, now: tx.now });
  const draws = [...credited.draws].map(([pack, drawn]) => [pack, String(drawn)] as const);
  const charged: AdjustmentCharge = {
    charges: entries.map(({ meter }) => meter.id),
    ...(backdated.length === 0 ? {} : { backdated: backdated.map(({ meter }) => meter.id) }),
    ...(Object.keys(over).length === 0 ? {} : { over }),
    ...(draws.length === 0 ? {} : { draws }),
    ...(credited.uncovered === 0n ? {} : { uncovered: String(credited.uncovered) }),
  };
  return { work, charged };
}

/** The dollar limits that the run was charged to. A limit that was deleted and recreated is a different one. */
function limitsOf(work: UnitOfWork, run: Run, now: number): MeterAccount[] {
  const others = run.extra?.subjects ?? {};
  const names = callNames(runNames(run));
  const ids = chargesIn(run.charges).map(({ id }) => id);
  const entries = ids.flatMap((id) => {
    const own = { customer: run.customerId ?? undefined, chain: run.chainId ?? undefined, names };
    const other = others[id];
    if (other === undefined) return work.standing(id, own, now);
    return work.standing(id, { customer: other, chain: other, groups: { [id]: other } }, now);
  });
  return entries.filter(({ meter }) => unitOf(meter) === "usd" && meter.sinceMs <= run.recordedAt);
}

/** The dollar limits that count the run although they were created later. */
function backdatedOf(work: UnitOfWork, run: Run, now: number): readonly MeterAccount[] {
  const charged = new Set(chargesIn(run.charges).map(({ id }) => id));
  const found = work.backdated({ scopes: runScopes(runNames(run)), atMs: now });
  return found.filter(({ meter }) => unitOf(meter) === "usd" && !charged.has(meter.id));
}

/** Returns what was charged to credits for the run, including all adjustments. Null if it did not use credits. */
function creditedSoFar(run: Run, before: readonly StoredAdjustment[]): CreditBack | null {
  const { draws: drawn = [], uncovered: open } = run.extra ?? {};
  if (drawn.length === 0 && open === undefined) return null;
  const draws = new Map<string, bigint>();
  let uncovered = BigInt(open ?? 0);
  for (const [pack, amount] of [...drawn, ...before.flatMap((one) => one.draws ?? [])]) {
    draws.set(pack, (draws.get(pack) ?? 0n) + BigInt(amount));
  }
  for (const one of before) uncovered += BigInt(one.uncovered ?? 0);
  return { draws, uncovered };
}

function adjustCredits(
  work: UnitOfWork,
  soFar: CreditBack | null,
  run: Run,
  { amount, now }: { readonly amount: bigint; readonly now: number },
): CreditBack {
  if (soFar === null) return { draws: new Map(), uncovered: 0n };
  if (amount > 0n) {
    const scopes = { customer: run.extra?.payer ?? run.customerId ?? undefined };
    return drawMore(work.accounts({ scopes, atMs: now }).find(isPool), amount);
  }
  const back = giveBack(soFar, -amount);
  for (const pack of work.standing([...back.draws.keys()].join(" "), {}, now)) {
    const part = back.draws.get(pack.meter.id) ?? 0n;
    pack.usage = { ...pack.usage, spent: pack.usage.spent + part };
  }
  return back;
}
