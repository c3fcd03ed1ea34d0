import { DUE } from "../kernel/due-kinds.ts";
import { type RatePolicy, ratePolicyOf, showPolicy, type StoredLimits } from "../../domain/rate/policy.ts";
import type { NewRateLimits, RateLimits } from "../../contract/resources/rate-limits.ts";
import { matchBeside } from "../../domain/rate/match.ts";
import { newId } from "../../domain/bytes/ulid.ts";
import { command, done, query, type View } from "../kernel/door.ts";
import { loadRateLimits, saveRateLimits } from "./store.ts";

const current = (view: View) => shown(loadRateLimits(view.sql));

export const getRateLimits = query({ refuses: [], run: current });

/** Replaces everything at once. A policy that only changed its limit keeps its id, and with it its count. */
export const setRateLimits = command({
  action: "rate_limits.set",
  refuses: ["conflict"],
  current,
  // The policies are part of the isolates' snapshot of the org.
  takesAway: (_input: NewRateLimits) => "*",
  changesLimits: true,
  run(tx, input: NewRateLimits) {
    const before = loadRateLimits(tx.sql).policies;
    const policies = input.policies.map((policy): RatePolicy => {
      const same = before.find((known) => countsAlike(known, policy));
      return ratePolicyOf(same?.id ?? newId("rlp", tx.now), policy);
    });
    const after = { read_rpm: input.read_rpm, policies };
    saveRateLimits(tx.sql, after);
    tx.schedule(DUE.publishRateLimits, "", tx.now);
    return done(200, shown(after), { target: tx.orgId, detail: { ...input } });
  },
});

function shown({ read_rpm, policies }: StoredLimits): RateLimits {
  return { read_rpm, policies: policies.map(showPolicy) };
}

function countsAlike(known: RatePolicy, policy: NewRateLimits["policies"][number]): boolean {
  const { id: _id, limit: _limit, ...what } = known;
  const { limit: _other, ...asked } = policy;
  return JSON.stringify(inOrder(what)) === JSON.stringify(inOrder(asked));
}

function inOrder({ name, match, unit, window_seconds, kind }: Omit<RatePolicy, "id" | "limit">) {
  const { route, key_id: keyId, each_key: isEachKey, customer_id: customerId } = match;
  return [name, route, keyId, isEachKey, customerId, unit, window_seconds, kind, matchBeside(match)];
}
