import { admit } from "../../domain/meter/admission.ts";
import type { Attempt } from "../../domain/refusal/limit-denials.ts";
import type { Account } from "../../domain/meter/meter.ts";
import type { Tx } from "../kernel/door.ts";
import type { UnitOfWork } from "../ledger/unit-of-work.ts";
import { expireHoldsOf, TRIES_FOR_ROOM } from "./expire.ts";

/** A limit refuses only when what it still counts of holds that are over is not what fills it. */
export function admitFreeing(tx: Tx, work: UnitOfWork, accounts: readonly Account[], attempt: Attempt) {
  let found = admit(accounts, attempt);
  for (let tries = 0; found.refusedBy !== null && tries < TRIES_FOR_ROOM; tries += 1) {
    if (expireHoldsOf(tx, work, found.refusedBy).length === 0) break;
    work.save();
    found = admit(accounts, attempt);
  }
  return found;
}
