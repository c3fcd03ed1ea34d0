import type { NewAdjustment } from "../../contract/resources/adjustments.ts";
import { invalidField, isRefusal, type Refusal, refuse } from "../../contract/refusal.ts";
import { formatUsd, MAX_USD_NANOS, parseUsd } from "../../domain/price/money.ts";
import { newId } from "../../domain/bytes/ulid.ts";
import { isFinal } from "../decisions/hold-request.ts";
import { loadHold } from "../decisions/store.ts";
import { command, done, type Tx } from "../kernel/door.ts";
import { announceCharges } from "../ledger/announce.ts";
import { tallyCharge } from "../ledger/tally.ts";
import { saveDaily } from "../runs/daily.ts";
import { runNames } from "../../domain/run/segment/run-names.ts";
import { outcomeOf, type Run } from "../runs/run.ts";
import { replacedRuns } from "../runs/replacements.ts";
import { findRun } from "../runs/store.ts";
import { dayOf } from "../runs/sums.ts";
import { chargeAdjustment } from "./charge.ts";
import { insertAdjustment, loadAdjustments, type StoredAdjustment, toAdjustment } from "./store.ts";

/** Far more than anyone needs. All of them are read when the next one is made. */
const MOST_OF_ONE_RUN = 1000;

/** A fact like a run: no limit refuses it. It counts in the current periods, as its own entry. */
export const adjustRun = command({
  action: "run.adjusted",
  refuses: ["not_found", "conflict", "validation_failed"],
  run(tx, { runId, amount_usd, reason }: NewAdjustment & { runId: string }) {
    const run = findRun(tx.sql, runId);
    if (run === undefined || replacedRuns(tx.sql).has(runId)) return refuse("not_found");
    if (mayBeReplaced(tx, run)) {
      const message = "This run is an estimate. Report the run itself with its reservation_id instead.";
      return refuse("conflict", {}, { message });
    }
    const before = loadAdjustments(tx.sql, runId);
    if (before.length >= MOST_OF_ONE_RUN) {
      const message = `This run already has ${MOST_OF_ONE_RUN} adjustments.`;
      return refuse("conflict", {}, { message });
    }
    const amount = signedNanos(amount_usd);
    const net = netOf(run, before, amount);
    if (isRefusal(net)) return net;
    const { work, charged } = chargeAdjustment(tx, run, before, amount);
    const made: StoredAdjustment = {
      id: newId("adj", tx.now),
      runId,
      at: tx.now,
      amount,
      reason,
      customer: run.customerId,
      chain: run.chainId,
      names: runNames(run),
      ...(run.extra?.subjects === undefined ? {} : { subjects: run.extra.subjects }),
      net: String(net),
      ...charged,
    };
    insertAdjustment(tx.sql, made);
    saveDaily(tx.sql, [{ day: dayOf(tx.now), run, usd: amount, runs: 0, tokens: 0, counts: [] }]);
    tallyCharge(tx, amount);
    announceCharges(tx, work.entries());
    work.save();
    const shown = toAdjustment(made);
    tx.emit("run.adjusted", shown);
    return done(201, shown, { target: runId, detail: { adjustment_id: made.id, amount_usd, reason } });
  },
});

/** An estimate stands until its run is reported, and is not adjusted before nothing can take its place. */
function mayBeReplaced(tx: Tx, run: Run): boolean {
  const { extra } = run;
  if (outcomeOf(run) !== "unreported" || extra?.reservation === undefined) return false;
  const hold = loadHold(tx.sql, extra.reservation);
  return hold !== null && !isFinal(hold, tx.now);
}

function signedNanos(text: string): bigint {
  const digits = text.startsWith("-") ? text.slice(1) : text;
  const nanos = parseUsd(digits);
  if (nanos === null) throw new Error(`'${text}' is not an amount`);
  return digits === text ? nanos : -nanos;
}

/** Returns what the run then costs: never below zero, and never more than the maximum amount. */
function netOf(
  run: Run,
  before: readonly StoredAdjustment[],
  amount: bigint,
): bigint | Refusal<"validation_failed"> {
  const charged = before.reduce((sum, one) => sum + one.amount, run.cost);
  if (charged + amount < 0n) {
    const left = formatUsd(charged);
    return invalidField("amount_usd", "out_of_range", `gives back more than the ${left} that was charged`);
  }
  return charged + amount > MAX_USD_NANOS
    ? invalidField("amount_usd", "out_of_range", "results in a cost above the maximum amount")
    : charged + amount;
}
