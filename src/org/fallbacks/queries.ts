import type { CallFacts, FallbackRule } from "../../contract/resources/fallbacks.ts";
import { matches } from "../../domain/meter/match.ts";
import { roomOf } from "../../domain/meter/meter.ts";
import { scopesOf } from "../../domain/meter/limit-set.ts";
import { keyOf } from "../kernel/actor-key.ts";
import { query, type View } from "../kernel/door.ts";
import { UnitOfWork } from "../ledger/unit-of-work.ts";
import { fallbackNow, knownRules, toFallback } from "./store.ts";
import { readList, readOne } from "../kernel/resource.ts";

export const getFallback = readOne(fallbackNow);

export const listFallbacks = readList(() => ({
  table: "fallbacks",
  sort: { name: "name", created_at: "created_at" },
  id: "name",
  toItem: toFallback,
}));

/** The rules that apply to a call of the key that asks, in the order of their names. */
export const findFallbacks = query({
  refuses: [],
  run(view, question: CallFacts): { rules: FallbackRule[] } {
    const names = { ...question, key_id: keyOf(view) };
    const rules = knownRules(view.sql).rules.filter(({ match }) => matches(match, names));
    const used = rules.some(({ share }) => share !== null) ? usedShare(view, question) : 0n;
    return {
      rules: rules.map(({ name, then, on, share }) => ({
        name,
        then,
        on,
        begins: share !== null && used >= share,
      })),
    };
  },
});

/** One, in billionths. */
const WHOLE = 1_000_000_000n;

/** How much of the fullest budget or customer limit of a call is used, in billionths. */
function usedShare(view: View, question: CallFacts): bigint {
  const work = new UnitOfWork(view.sql, "decision", view.now);
  const accounts = work.accounts({ scopes: scopesOf(question, { keyId: keyOf(view) }), atMs: view.now });
  let most = 0n;
  for (const account of accounts) {
    const { kind, limit, mode } = account.meter;
    const isCounted = (kind === "budget" || kind === "customer_limit") && mode === "enforce";
    if (!isCounted || limit === null) continue;
    const used = limit === 0n ? WHOLE : ((limit - (roomOf(account) ?? 0n)) * WHOLE) / limit;
    if (used > most) most = used;
  }
  return most;
}
