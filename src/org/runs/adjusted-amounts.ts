import { readInParts } from "../../storage/json-rows.ts";

/** By run, the sum of its adjustments. Runs without any are left out. */
export function adjustedAmounts(sql: SqlStorage, runIds: readonly string[]): ReadonlyMap<string, bigint> {
  const rows = readInParts(runIds, (json) =>
    sql.exec<{ run_id: string; amount: string }>(
      "SELECT a.run_id, a.amount FROM json_each(?) AS k CROSS JOIN run_adjustments AS a ON a.run_id = k.value",
      json,
    ),
  );
  const sums = new Map<string, bigint>();
  for (const { run_id, amount } of rows) sums.set(run_id, (sums.get(run_id) ?? 0n) + BigInt(amount));
  return sums;
}
