import { isRefusal, type Refusal, refuse } from "../../contract/refusal.ts";
import type { RunInput } from "../../contract/resources/runs/runs.ts";
import { formatUsd } from "../../domain/price/money.ts";
import {
  findOtherName,
  type ReservedNames,
  withReservedNames,
} from "../../domain/reservation/reserved-names.ts";
import { believedUsage, hasReservedUnits, mostInCall } from "../../domain/run/believed-usage.ts";
import { type DecisionAsk, mostOutput } from "../../gate/decision/ask.ts";
import { reservedCallOf } from "../decisions/hold-request.ts";
import type { HoldRow } from "../decisions/store.ts";
import type { View } from "../kernel/door.ts";
import { Prices } from "./prices.ts";

type Estimate = DecisionAsk["estimate"];

/** Runs of senders that may say no more of a call than its reservation does. */
export class ReservedRuns {
  readonly #prices: Prices;

  constructor(view: Pick<View, "sql" | "now">) {
    this.#prices = new Prices(view.sql, view.now);
  }

  /**
   * Returns what is recorded of a run: under the names of its reservation, and for at most what that holds, unless the
   * price of its model and a usage that one call can have make it more.
   */
  read(input: RunInput, hold: HoldRow): RunInput | Refusal<"forbidden"> {
    const { estimate, ...own } = reservedCallOf(hold);
    const other = findOtherName(input, own);
    if (other !== null) return refuseName(other, own);
    const run = this.#withBelievedUsage(withReservedNames(input, own), estimate);
    const isPriced = run.cost_usd === undefined && own.model !== undefined;
    if (isPriced && hasReservedUnits(run.usage, estimate.units)) return run;
    return this.#atMost(run, BigInt(hold.amount));
  }

  /**
   * Returns what is recorded of the run of a reservation that an isolate took with it: under no names, and for at most
   * what the price of its model makes of tokens that one call can have.
   */
  readUnknown(input: RunInput): RunInput | Refusal<"forbidden"> {
    const other = findOtherName(input, {});
    if (other !== null) return refuseUnknown(other);
    const { cost_usd: stated, ...priced } = withoutUnits(this.#withBelievedUsage(input, {}));
    if (stated === undefined) return priced;
    const [most] = this.#prices.costsOf([priced]);
    if (most === undefined || isRefusal(most)) return refuseUnknown("cost_usd");
    return this.#atMost({ ...priced, cost_usd: stated }, most.nanos);
  }

  #withBelievedUsage(run: RunInput, estimate: Estimate): RunInput {
    const reserved = { input: estimate.input_tokens ?? 0, output: mostOutput({ estimate }) };
    const usage = believedUsage(run.usage, mostInCall(this.#prices.limitsOf(run), reserved));
    return usage === run.usage ? run : { ...run, usage, estimated: true };
  }

  #atMost(run: RunInput, nanos: bigint): RunInput {
    const [cost] = this.#prices.costsOf([run]);
    if (cost === undefined || isRefusal(cost) || cost.nanos <= nanos) return run;
    return { ...run, cost_usd: formatUsd(nanos), estimated: true };
  }
}

/** Nobody knows which units were reserved. */
function withoutUnits(run: RunInput): RunInput {
  const { units, ...usage } = run.usage;
  return units === undefined ? run : { ...run, usage, estimated: true };
}

function refuseUnknown(field: keyof ReservedNames | "cost_usd"): Refusal<"forbidden"> {
  const message = `This key can only settle reservations, and what was reserved for this run was never reported. Leave ${field} out, or send the run with a key that has runs:write.`;
  return refuse("forbidden", { field }, { message });
}

function refuseName(field: keyof ReservedNames, own: ReservedNames): Refusal<"forbidden"> {
  const said = own[field] === undefined ? "names none" : "names another";
  const message = `This key can only settle reservations, and this run's reservation ${said} as ${field}. Leave ${field} out, or send the run with a key that has runs:write.`;
  return refuse("forbidden", { field }, { message });
}
