import { DECISION_ROUTE } from "../../contract/decision.ts";
import { refuse } from "../../contract/refusal.ts";
import { type Account, unitOf } from "../../domain/meter/meter.ts";
import { formatUsd } from "../../domain/price/money.ts";
import { holdExtrasOf, readHeldAmounts, readHeldAmount, phaseOf } from "../decisions/hold-extras.ts";
import { type HoldRow, loadHold, standingOf } from "../decisions/store.ts";
import type { View } from "../kernel/door.ts";
import { UnitOfWork } from "../ledger/unit-of-work.ts";
import { candidatesFor } from "./candidates.ts";
import { amountsOf, type Candidate, CHECK_OF, judgeChecks } from "./check.ts";
import { type ExplanationResult, explanation } from "./explanation.ts";
import { passCheck } from "./past.ts";

/** For a reservation, the limits that hold it are known, but not what it was made for. */
export function explainHold(view: View, id: string): ExplanationResult {
  const hold = loadHold(view.sql, id);
  if (hold === null) return refuse("not_found");
  const nanos = BigInt(hold.amount);
  const { tokens, chain } = holdExtrasOf(hold);
  const general = candidatesFor(view, {
    route: DECISION_ROUTE,
    keyId: view.actor.id,
    scopes: { customer: hold.customer_id ?? undefined, chain: chain ?? undefined },
    attempt: { nanos, tokens, depth: 0 },
    phase: phaseOf(hold),
    content: null,
  });
  const held = heldBy(view, hold, general);
  const kinds = new Set(held.map(({ check }) => check));
  const checks = [...new Set(general.map(({ check }) => check))].flatMap((check) =>
    (kinds.has(check) ? held : general.map(passCheck)).filter((one) => one.check === check),
  );
  return explanation({ subject: "reservation_id", id }, hold.at, nanos, judgeChecks(checks));
}

function heldBy(view: View, hold: HoldRow, named: readonly Candidate[]): Candidate[] {
  const work = new UnitOfWork(view.sql, "decision", view.now);
  const accounts = standingOf(work, hold);
  return accounts.map((account) => ({
    check: CHECK_OF[account.meter.kind],
    id: account.meter.id,
    name: named.find(({ id }) => id === account.meter.id)?.name ?? null,
    passes: true,
    why: `It had room. ${heldText(account, hold)} reserved; the reservation is ${hold.status}.`,
    amounts: amountsOf(account, view.now),
  }));
}

function heldText({ meter }: Account, hold: HoldRow): string {
  const unit = unitOf(meter);
  const amount = readHeldAmount(meter, readHeldAmounts(hold));
  if (unit === "depth") return "Nothing was";
  return unit === "usd" ? `$${formatUsd(amount)} was` : `${amount} ${unit} were`;
}
