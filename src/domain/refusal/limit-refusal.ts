import { type Refusal, refuse } from "../../contract/refusal.ts";
import { formatUsd } from "../price/money.ts";
import type { Denial, DenialCode } from "./limit-denials.ts";

/** `nanos`: the cost of what was refused. */
export function toRefusal<C extends DenialCode = DenialCode>(denial: Denial, nanos: bigint): Refusal<C> {
  const { code, details, status } = denial;
  // The table of kinds builds the details of each code. Its tests check them against the contract.
  return refuse(code, details as never, { status, amountUsd: formatUsd(nanos) }) as Refusal<C>;
}
