import { admit } from "../../domain/meter/admission.ts";
import { largestFitting } from "../../domain/meter/largest-fit.ts";
import type { Attempt } from "../../domain/refusal/limit-denials.ts";
import type { Account } from "../../domain/meter/meter.ts";
import { type DecisionAsk, mostOutput, tokensOf, withOutput } from "../../gate/decision/ask.ts";
import type { Tx } from "../kernel/door.ts";
import type { UnitOfWork } from "../ledger/unit-of-work.ts";
import { expireHoldsOf, TRIES_FOR_ROOM } from "./expire.ts";

/** The room that the output of an ask is fitted into. */
export interface OutputRoom {
  /** The amounts that the ask takes if it is given all that it asks for. */
  readonly attempt: Attempt;
  /** The cost of the ask with so many output tokens, in nano-dollars. */
  readonly costOf: (outputTokens: number) => bigint;
  readonly accounts: readonly Account[];
  /** How many tokens, input included, rate limits have room for. Null if none counts tokens. */
  readonly tokenRoom: number | null;
  /** How many nano-dollars they have room for. Null if none counts dollars. */
  readonly nanosRoom: number | null;
}

/** An ask with as many output tokens as fit, and what it takes. */
export interface FittedAsk {
  readonly ask: DecisionAsk;
  readonly attempt: Attempt;
}

/** For a call that is only explained. */
export function fitAsk(ask: DecisionAsk, fit: OutputRoom): FittedAsk {
  return fitted(ask, fit, () => false);
}

/**
 * The same for a decision. Reservations that are over are ended before they shorten an answer, as they are before they
 * refuse one.
 */
export function fitAskFreeingRoom(tx: Tx, work: UnitOfWork, ask: DecisionAsk, fit: OutputRoom): FittedAsk {
  let tries = TRIES_FOR_ROOM;
  return fitted(ask, fit, (limit) => {
    tries -= 1;
    if (tries < 0 || expireHoldsOf(tx, work, limit).length === 0) return false;
    work.save();
    return true;
  });
}

/** Where not even the least fits, the least is what limits refuse. */
function fitted(ask: DecisionAsk, fit: OutputRoom, free: (limit: Account) => boolean): FittedAsk {
  const { attempt, costOf, accounts, tokenRoom, nanosRoom } = fit;
  const { min_output_tokens: least } = ask.estimate;
  if (least === undefined) return { ask, attempt };
  const at = (output: number): Attempt => ({
    ...attempt,
    nanos: costOf(output),
    tokens: tokensOf(withOutput(ask, output)),
  });
  const limitOf = (output: number) => admit(accounts, at(output)).refusedBy;
  const most = Math.min(mostOutput(ask), (tokenRoom ?? Infinity) - (ask.estimate.input_tokens ?? 0));
  for (;;) {
    const fits = (number: number) =>
      limitOf(number) === null && (nanosRoom === null || costOf(number) <= nanosRoom);
    const output = largestFitting({ least, most }, fits);
    const limit = output !== null && output >= most ? null : limitOf(output === null ? least : output + 1);
    if (limit !== null && free(limit)) continue;
    const given = output ?? least;
    return { ask: withOutput(ask, given), attempt: at(given) };
  }
}
