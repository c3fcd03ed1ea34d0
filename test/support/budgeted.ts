import { expect } from "vitest";
import { ReservationIds } from "../../src/domain/reservation/reservation-id.ts";
import type { DecisionAsk } from "../../src/gate/decision/ask.ts";
import { fingerprintOf } from "../../src/gate/decision/request-fingerprint.ts";
import { LeaseHolder } from "./lease-holder.ts";
import { newSpender, type Spender } from "./ledger.ts";
import { countOfHolds, holdsOf, isOpen } from "./holds.ts";
import { env } from "./worker.ts";

export const CENT = 10_000_000n;

/** An org with one budget, and isolates that report when told to. */
export interface Budgeted extends Spender {
  readonly ids: ReservationIds;
  isolate(names?: Parameters<LeaseHolder["lease"]>[1]): Promise<LeaseHolder>;
  /** The id of a fingerprint that is decided now, as every isolate makes it. */
  idOf(ask: DecisionAsk & { readonly request_id: string }, now?: number): string;
  budget(): Promise<{ spent_usd: string; reserved_usd: string }>;
  /** What is stored under an id. */
  kept(id: string): Promise<{ status: string; amount: string }[]>;
  /** How many holds are open. */
  standing(): Promise<number>;
}

export async function newBudgeted(limitUsd = "100"): Promise<Budgeted> {
  const org = await newSpender();
  const ids = new ReservationIds(env.SVC_KEY_PEPPER, org.id);
  const made = await org.send("POST", "budgets", {
    scope_kind: "org",
    limit_usd: limitUsd,
    period: "month",
    mode: "enforce",
  });
  expect(made.status).toBe(201);
  return {
    ...org,
    ids,
    async isolate(names) {
      const isolate = new LeaseHolder(org.id);
      await isolate.lease(CENT, names, 1000);
      return isolate;
    },
    idOf: (ask, now = Date.now()) => ids.idOf(ask.request_id, fingerprintOf(ask), now),
    budget: async () => (await org.send("GET", `budgets/${made.body.id}`)).body,
    kept: async (id) =>
      (await holdsOf(org.id, (hold) => hold.id === id)).map(({ status, amount }) => ({ status, amount })),
    standing: () => countOfHolds(org.id, isOpen),
  };
}
