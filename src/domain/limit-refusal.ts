import { type Refusal, refuse } from "../contract/refusal.ts";
import type { Denial, DenialCode } from "./kinds.ts";

export function toRefusal<C extends DenialCode = DenialCode>(denial: Denial): Refusal<C> {
  const { code, details, status } = denial;
  // The table of kinds builds the details of each code. Its tests check them against the contract.
  return refuse(code, details as never, { status }) as Refusal<C>;
}
