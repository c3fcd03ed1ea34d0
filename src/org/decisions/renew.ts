import type { ReservationRenewal } from "../../contract/resources/decisions/decisions.ts";
import { isRefusal, refuse } from "../../contract/refusal.ts";
import { holdAll } from "../../domain/meter/admission.ts";
import { toCheckedRun } from "../../domain/run/checked-run.ts";
import { denialOf } from "../../domain/refusal/limit-denials.ts";
import { CHECK_CODES, RUN_CODES } from "../../contract/limit-codes.ts";
import { toRefusal } from "../../domain/refusal/limit-refusal.ts";
import { formatUsd, parseUsd } from "../../domain/price/money.ts";
import { type RateRequest, rateRefusal } from "../../domain/rate/denial.ts";
import { oneRunsSteps } from "../../domain/policy/step-budget.ts";
import { DEFAULT_HOLD_SECONDS } from "../../gate/decision/ask.ts";
import { runChecks } from "../checks/checks.ts";
import { command, done, type Tx } from "../kernel/door.ts";
import { announceLoneRefusal } from "../ledger/announce.ts";
import { UnitOfWork } from "../ledger/unit-of-work.ts";
import { admitFreeing } from "./admit.ts";
import { recountHoldRates } from "./hold-rates.ts";
import { dollarMetersOf, giveBackDollars } from "./rate-corrections.ts";
import { expireHold, expireHolds, expireNoLaterThan } from "./expire.ts";
import { holdExtrasOf, phaseOf, writeHoldExtras } from "./hold-extras.ts";
import { holdRequestOf } from "./hold-request.ts";
import { refusedRenewal } from "./refusal-notes.ts";
import { type HoldRow, giveBackHold, loadHold, saveHolds, standingOf } from "./store.ts";

type Renewal = ReservationRenewal & { readonly reservationId: string };

/** Keeps a hold for longer, with more or less in it. Where a limit has no room for more, it stays as it was. */
export const renewHold = command({
  action: "reservation.renewed",
  usesWal: true,
  refuses: [...CHECK_CODES, ...RUN_CODES, "not_found", "conflict"],
  reservations: ({ reservationId }: Renewal) => [reservationId],
  run(tx, { reservationId, hold_seconds: seconds = DEFAULT_HOLD_SECONDS, amount_usd: usd }: Renewal) {
    expireHolds(tx);
    expireHold(tx, reservationId);
    const before = loadHold(tx.sql, reservationId);
    if (before === null) return refuse("not_found");
    if (before.status !== "open") {
      return refuse("conflict", {}, { message: `This reservation is already ${before.status}.` });
    }
    const amount = usd === undefined ? BigInt(before.amount) : (parseUsd(usd) ?? 0n);
    const held = amount === BigInt(before.amount) ? before : heldAnew(tx, before, amount);
    if (isRefusal(held)) {
      tx.refused(refusedRenewal(tx, before, amount, held));
      return held;
    }
    const after = { ...held, expires_at: tx.now + seconds * 1000 };
    saveHolds(tx.sql, [after]);
    expireNoLaterThan(tx, after.expires_at);
    const reservation = {
      id: after.id,
      amount_usd: formatUsd(amount),
      expires_at: new Date(after.expires_at).toISOString(),
    };
    const detail = { amount_usd: formatUsd(amount), was_usd: formatUsd(BigInt(before.amount)) };
    return done(200, { reservation }, { target: after.id, detail });
  },
});

/** Holds another amount where the hold stands, and in its windows: it is its run's once that comes. */
function heldAnew(tx: Tx, before: HoldRow, amount: bigint) {
  const { tokens, chain } = holdExtrasOf(before);
  if (amount > BigInt(before.amount)) {
    const refused = checkMore(tx, before, amount) ?? limitedMore(tx, before, amount);
    if (refused !== null) return refused;
  }
  const phase = phaseOf(before);
  const work = new UnitOfWork(tx.sql, phase, tx.now);
  giveBackHold(work, before);
  const order = before.meters.split(" ");
  const standing = standingOf(work, before)
    .filter(({ meter }) => meter.kind !== "credit_pack")
    .sort((one, other) => order.indexOf(one.meter.id) - order.indexOf(other.meter.id));
  const pool = work
    .accounts({ scopes: { customer: before.customer_id ?? undefined }, atMs: tx.now })
    .filter(({ meter }) => meter.kind === "credits");
  const accounts = [...standing, ...pool];
  const attempt = { nanos: amount, tokens, depth: 0 };
  const { refusedBy } = admitFreeing(tx, work, accounts, attempt);
  if (refusedBy !== null && amount > BigInt(before.amount)) {
    tx.afterRefusal(() => announceLoneRefusal(tx, refusedBy, attempt, "decision"));
    return toRefusal(denialOf(refusedBy, attempt, "decision"), attempt.nanos);
  }
  const packs = holdAll(accounts, attempt);
  work.save();
  const rates = recountRates(tx, before, amount);
  const meters = [...accounts, ...packs.map(({ pack }) => pack)].map(({ meter }) => meter.id).join(" ");
  const beside = writeHoldExtras({ phase, tokens, chain, packs, accounts });
  return { ...before, amount: String(amount), meters, beside, rates };
}

/** Returns what a hold with a higher amount takes from the rate limits by dollars in which its decision was counted. */
function addedRatesOf(tx: Tx, before: HoldRow, amount: bigint): RateRequest[] {
  const more = Number(amount - BigInt(before.amount));
  if (more <= 0) return [];
  return dollarMetersOf(tx.rates(), before).map((meter) => {
    return { meter, standing: tx.rates().standing(meter, more), amount: more };
  });
}

/** Counts the difference in the rate limits by dollars in which the decision was counted. Returns what the hold says of them. */
function recountRates(tx: Tx, before: HoldRow, amount: bigint): string {
  const rates = tx.rates();
  for (const { meter, amount: added } of addedRatesOf(tx, before, amount)) rates.take(meter, added);
  const more = Number(amount - BigInt(before.amount));
  if (more < 0) giveBackDollars(rates, before, -more);
  return recountHoldRates(rates.policies(), before, { more, nowMs: tx.now });
}

function limitedMore(tx: Tx, before: HoldRow, amount: bigint) {
  return rateRefusal(addedRatesOf(tx, before, amount), tx.now);
}

/**
 * Checks that judge a run before the limits also judge the renewal's higher amount. Its input is not kept, and was
 * scanned when it was made.
 */
function checkMore(tx: Tx, hold: HoldRow, amount: bigint) {
  const request = holdRequestOf(hold);
  if (request === null || phaseOf(hold) !== "run") return null;
  const findings = runChecks(tx)?.(toCheckedRun(request.ask, tx.now), amount, oneRunsSteps()) ?? [];
  for (const { refusal, effect, tell } of findings) {
    if (refusal !== null) {
      tx.afterRefusal(effect);
      tell?.();
      return refusal;
    }
    effect();
  }
  return null;
}
