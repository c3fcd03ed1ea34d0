import type { Refusal } from "../../contract/refusal.ts";
import { checkAddress, checkOrgActive, checkRole, checkScope } from "./admit.ts";
import type { Call } from "../request/call.ts";
import { checkCustomer } from "./customer.ts";
import { identify } from "./identify.ts";
import { checkResidency } from "../region/settle.ts";
import { checkSupport } from "../support/support.ts";

/** These checks were made before the body was read, and their result may have changed since. */
const CHECKS = [
  checkOrgActive,
  checkAddress,
  checkCustomer,
  checkSupport,
  checkRole,
  checkScope,
  checkResidency,
];

/** If the body takes longer to arrive than the caller's snapshot is valid, the caller is checked again. */
export function recheck(call: Call): null | Promise<Refusal | null> {
  const goodUntil = call.caller?.goodUntil;
  const now = Date.now();
  if (goodUntil === undefined || now < goodUntil) return null;
  call.judgedAt = now;
  return judgeAnew(call);
}

async function judgeAnew(call: Call): Promise<Refusal | null> {
  const refusal = await identify(call);
  if (refusal !== null) return refusal;
  for (const check of CHECKS) {
    const found = check(call);
    if (found !== null) return found;
  }
  return null;
}
