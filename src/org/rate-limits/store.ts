import type { RatePolicy, StoredLimits } from "../../domain/rate/policy.ts";

export function loadRateLimits(sql: SqlStorage): StoredLimits {
  const row = sql.exec<{ read_rpm: number | null }>("SELECT read_rpm FROM rate_limits").toArray()[0];
  const policies = sql
    .exec<{ policy: string }>("SELECT policy FROM rate_policies ORDER BY position")
    .toArray()
    .map(({ policy }) => JSON.parse(policy) as RatePolicy);
  return { read_rpm: row?.read_rpm ?? null, policies };
}

export function saveRateLimits(sql: SqlStorage, { read_rpm, policies }: StoredLimits): void {
  sql.exec(
    "INSERT INTO rate_limits VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET read_rpm = excluded.read_rpm",
    read_rpm,
  );
  sql.exec("DELETE FROM rate_policies");
  for (const [position, policy] of policies.entries()) {
    sql.exec("INSERT INTO rate_policies VALUES (?, ?, ?)", policy.id, position, JSON.stringify(policy));
  }
}
