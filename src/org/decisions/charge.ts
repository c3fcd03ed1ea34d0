import { METER_KINDS, meterRowOf } from "../../contract/meter-kinds.ts";
import { adjustAccount } from "../../domain/meter/adjustment.ts";
import { chargeFact } from "../../domain/meter/admission.ts";
import { type Draw, drawReserved } from "../../domain/meter/credit.ts";
import { unitOf } from "../../domain/meter/meter.ts";
import { amountOf, type Attempt } from "../../domain/refusal/limit-denials.ts";
import { fingerprintPart } from "../../domain/reservation/reservation-id.ts";
import { newId } from "../../domain/bytes/ulid.ts";
import type { Estimate, Tx } from "../kernel/door.ts";
import { scopesOf } from "../../domain/meter/limit-set.ts";
import { tokensOf } from "../../gate/decision/ask.ts";
import type { UnitOfWork } from "../ledger/unit-of-work.ts";
import type { MeterAccount } from "../meters/usage.ts";
import { readHeldAmounts, holdExtrasOf, readHeldAmount, phaseOf } from "./hold-extras.ts";
import { estimateIn, type HoldRequest, holdRequestOf, NO_MODEL } from "./hold-request.ts";
import { reservesOf } from "./open-holds.ts";
import { type HoldRow, type KnownHolds, giveBackHold, loadHolds, standingOf } from "./store.ts";

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
    const charged = holds.filter((hold) => holdRequestOf(hold)?.isCharged === true);
    const named = charged.filter(({ id, at }) => ids.originOf(id, at) === "request");
    this.#paid = loadHolds(
      tx.sql,
      named.map(({ id }) => id),
    );
  }

  /** Ends the hold. Returns what it is then, and the run that it has become, if it has. */
  end(hold: HoldRow): { readonly hold: HoldRow; readonly estimate: Estimate | null } {
    const request = holdRequestOf(hold);
    const reserved = giveBackHold(this.#work, hold);
    if (request?.isCharged !== true || this.#isPaid(hold.id)) return { hold, estimate: null };
    this.#paid.settled.add(hold.id);
    return chargeExpired(this.#tx, this.#work, { hold: inPlan(hold), request, reserved });
  }

  #isPaid(id: string): boolean {
    const { settled, charged } = this.#paid;
    return settled.has(id) || (charged.size > 0 && charged.has(fingerprintPart(id)));
  }
}

/** A limit that only counts is leased to no isolate, so a hold of an isolate is not in it. The run that it becomes is. */
function inPlan(hold: HoldRow): HoldRow {
  if (phaseOf(hold) !== "run") return hold;
  const there = hold.meters === "" ? [] : hold.meters.split(" ");
  return { ...hold, meters: [...new Set([...there, ...OF_RUNS])].join(" ") };
}

interface ExpiredReservation {
  readonly hold: HoldRow;
  readonly request: HoldRequest;
  /** The credit packs that it had reserved from, and how much of each. */
  readonly reserved: readonly Draw[];
}

/** Charges what an expired hold held, as the run that it becomes. */
function chargeExpired(
  tx: Tx,
  work: UnitOfWork,
  { hold, request, reserved }: ExpiredReservation,
): { readonly hold: HoldRow; readonly estimate: Estimate } {
  const nanos = BigInt(hold.amount);
  const standing = standingOf(work, hold).filter(({ meter }) => !meterRowOf(meter.kind).isDrawn);
  const attempt = { nanos, tokens: holdExtrasOf(hold).tokens, depth: 0 };
  const known = chargeFact(standing, attempt, drawReserved(reserved, nanos));
  const backdated = backdatedOf(work, hold, request);
  const later = chargeFact(backdated, attemptIn(hold, request));
  const accounts = [...standing, ...backdated];
  const charged = { ...known, over: [...known.over, ...later.over] };
  const runId = newId("run", tx.now);
  const draws = charged.draws.map(({ pack, amount }) => [pack.meter.id, String(amount)] as const);
  const after: HoldRequest = { ...request, estimate: { runId, draws: Object.fromEntries(draws) } };
  return {
    hold: { ...hold, asked: JSON.stringify(after) },
    estimate: { ...estimateOf(hold, after, runId), accounts, charged },
  };
}

/** The limits that count the run of a hold although they were created after it. */
function backdatedOf(work: UnitOfWork, hold: HoldRow, { ask, keyId }: HoldRequest): readonly MeterAccount[] {
  const scopes = scopesOf({ ...ask, model: ask.model ?? NO_MODEL }, { keyId });
  return work.backdated({ scopes, atMs: hold.at }).filter(({ meter }) => !reservesOf(hold, meter.id));
}

/** Returns what they count of it. A hold keeps its tokens only where a limit of its own counts them. */
function attemptIn(hold: HoldRow, { ask }: HoldRequest): Attempt {
  return { nanos: BigInt(hold.amount), tokens: tokensOf(ask), depth: 0 };
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
  const request = holdRequestOf(hold);
  if (estimate === null || request === null) return [];
  const attempt = attemptIn(hold, request);
  for (const entry of backdatedOf(work, hold, request))
    adjustAccount(entry, -amountOf(unitOf(entry.meter), attempt));
  const packs: Draw[] = [];
  const held = readHeldAmounts(hold);
  for (const entry of standingOf(work, hold)) {
    if (entry.meter.kind !== "credit_pack") {
      adjustAccount(entry, -readHeldAmount(entry.meter, held));
      continue;
    }
    const amount = BigInt(estimate.draws[entry.meter.id] ?? 0);
    entry.usage = { ...entry.usage, spent: entry.usage.spent - amount };
    packs.push({ pack: entry, amount });
  }
  return packs;
}
