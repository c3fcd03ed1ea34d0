import { METER_KINDS, meterRowOf } from "../../contract/meter-kinds.ts";
import { adjustAccount } from "../../domain/meter/adjustment.ts";
import { chargeFact } from "../../domain/meter/admission.ts";
import { type Draw, drawReserved } from "../../domain/meter/credit.ts";
import { fingerprintPart } from "../../domain/reservation/reservation-id.ts";
import { newId } from "../../domain/bytes/ulid.ts";
import type { Estimate, Tx } from "../kernel/door.ts";
import type { UnitOfWork } from "../ledger/unit-of-work.ts";
import { heldAmounts, holdExtrasOf, heldIn, phaseOf } from "./hold-extras.ts";
import { estimateIn, type HoldRequest, holdRequestOf } from "./hold-request.ts";
import { type HoldRow, type KnownHolds, letGo, loadHolds, standingOf } from "./store.ts";

/** Limits of the whole org that only runs are checked against. */
const OF_RUNS = METER_KINDS.map((kind) => ({ kind, ...meterRowOf(kind) }))
  .filter(({ scope, phases }) => scope === "org" && !phases.includes("decision"))
  .map(({ kind }) => kind);

/** Ends expired holds. A request that was decided in two half days has two holds, and is charged once. */
export class ExpiredHolds {
  readonly #tx: Tx;
  readonly #work: UnitOfWork;
  readonly #paid: Pick<KnownHolds, "settled" | "charged">;

  constructor(tx: Tx, work: UnitOfWork, holds: readonly HoldRow[]) {
    this.#tx = tx;
    this.#work = work;
    const ids = tx.reservationIds();
    const named = holds.filter(({ id, at, asked }) => asked !== null && ids.originOf(id, at) !== "time");
    this.#paid = loadHolds(
      tx.sql,
      named.map(({ id }) => id),
    );
  }

  /** What the hold is then, and the run that it has become, if it has. */
  end(hold: HoldRow): { readonly hold: HoldRow; readonly estimate: Estimate | null } {
    const request = holdRequestOf(hold);
    const reserved = letGo(this.#work, hold);
    if (request?.isCharged !== true || this.#isPaid(hold.id)) return { hold, estimate: null };
    this.#paid.settled.add(hold.id);
    return chargeExpired(this.#tx, this.#work, { hold: inPlan(hold), request, reserved });
  }

  #isPaid(id: string): boolean {
    const { settled, charged } = this.#paid;
    return settled.has(id) || (charged.size > 0 && charged.has(fingerprintPart(id)));
  }
}

/** What only counts is leased to no isolate, so a hold of an isolate is not in it. The run that it becomes is. */
function inPlan(hold: HoldRow): HoldRow {
  if (phaseOf(hold) !== "run") return hold;
  const there = hold.meters === "" ? [] : hold.meters.split(" ");
  return { ...hold, meters: [...new Set([...there, ...OF_RUNS])].join(" ") };
}

interface Expired {
  readonly hold: HoldRow;
  readonly request: HoldRequest;
  /** What it had of which credit packs. */
  readonly reserved: readonly Draw[];
}

/** What an expired hold held is charged in its place, by the run that it becomes. */
function chargeExpired(
  tx: Tx,
  work: UnitOfWork,
  { hold, request, reserved }: Expired,
): { readonly hold: HoldRow; readonly estimate: Estimate } {
  const nanos = BigInt(hold.amount);
  const accounts = standingOf(work, hold).filter(({ meter }) => !meterRowOf(meter.kind).isDrawn);
  const attempt = { nanos, tokens: holdExtrasOf(hold).tokens, depth: 0 };
  const charged = chargeFact(accounts, attempt, drawReserved(reserved, nanos));
  const runId = newId("run", tx.now);
  const draws = charged.draws.map(({ pack, amount }) => [pack.meter.id, String(amount)] as const);
  const after: HoldRequest = { ...request, estimate: { runId, draws: Object.fromEntries(draws) } };
  return {
    hold: { ...hold, asked: JSON.stringify(after) },
    estimate: { ...estimateOf(hold, after, runId), accounts, charged },
  };
}

/** The run that a hold has become, but for what it was charged to. */
export function estimateOf(
  hold: HoldRow,
  { ask, depth, keyId }: HoldRequest,
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
export function takeBack(work: UnitOfWork, hold: HoldRow): readonly Draw[] {
  const estimate = estimateIn(hold);
  if (estimate === null) return [];
  const packs: Draw[] = [];
  const held = heldAmounts(hold);
  for (const entry of standingOf(work, hold)) {
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
