import { refuse } from "../../contract/refusal.ts";
import type { NewRoutingPolicy, RoutingPolicyResource } from "../../contract/resources/routing.ts";
import { command, done, query, type View } from "../kernel/door.ts";
import { saveRow } from "../../storage/rows.ts";

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
    saveRow(tx.sql, "routing_policy", { one: 1, policy: JSON.stringify(input), updated_at: tx.now });
    const body = { ...input, updated_at: new Date(tx.now).toISOString() };
    return done(200, body, { target: tx.orgId, detail: input });
  },
});
