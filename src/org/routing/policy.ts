import { refuse } from "../../contract/refusal.ts";
import type { NewRoutingPolicy, RoutingPolicyResource } from "../../contract/resources/routing.ts";
import { command, done, query, type View } from "../kernel/door.ts";

type Row = { policy: string; updated_at: number };

/** The policy as it was set. Null if none is set, and nothing is routed. */
export function loadRoutingPolicy(sql: SqlStorage): RoutingPolicyResource | null {
  const row = sql.exec<Row>("SELECT policy, updated_at FROM routing_policy").toArray()[0];
  if (row === undefined) return null;
  return {
    ...(JSON.parse(row.policy) as NewRoutingPolicy),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}

export const getRoutingPolicy = query({
  refuses: ["not_found"],
  run: (view: View) => loadRoutingPolicy(view.sql) ?? refuse("not_found"),
});

export const setRoutingPolicy = command({
  action: "routing_policy.updated",
  refuses: ["conflict"],
  current: (view, _input: NewRoutingPolicy) => loadRoutingPolicy(view.sql),
  run(tx, input: NewRoutingPolicy) {
    tx.sql.exec(
      `INSERT INTO routing_policy (one, policy, updated_at) VALUES (1, ?, ?)
       ON CONFLICT (one) DO UPDATE SET policy = excluded.policy, updated_at = excluded.updated_at`,
      JSON.stringify(input),
      tx.now,
    );
    return done(
      200,
      { ...input, updated_at: new Date(tx.now).toISOString() },
      { target: tx.orgId, detail: input },
    );
  },
});
