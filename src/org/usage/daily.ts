import { StretchFinder } from "../../domain/usage-report/ask.ts";
import type { DailyAsk } from "../../domain/usage-report/daily.ts";
import { GroupSums } from "../../domain/usage-report/sums.ts";
import { query } from "../kernel/door.ts";

type Row = { scope_kind: string; scope_id: string; day: string; usd: string; runs: number; tokens: number };

/** Sums of cost, runs and tokens that also count runs which retention has deleted. */
export const dailyUsage = query({
  refuses: [],
  run(view, ask: DailyAsk) {
    const finders = ask.groupBy.map((stretches) =>
      stretches === null ? null : new StretchFinder(stretches),
    );
    const sums = new GroupSums();
    const add = (name: string | null, day: string, sum: { usd: bigint; runs: number; tokens: number }) => {
      const atMs = Date.parse(day);
      const names = ask.groupBy.map((stretches, at) =>
        stretches === null ? name : (stretches.labels[finders[at]?.at(atMs) ?? 0] ?? null),
      );
      sums.add(names, sum.usd, [sum.runs, sum.tokens]);
    };
    for (const row of rowsOf(view.sql, ask)) {
      const sum = { usd: BigInt(row.usd), runs: row.runs, tokens: row.tokens };
      const isNamed = row.scope_kind === ask.kind;
      add(isNamed && ask.kind !== "org" ? row.scope_id : null, row.day, sum);
      // What no name has is what is left of the org's sum.
      if (isNamed && ask.kind !== "org" && ask.only === null) {
        add(null, row.day, { usd: -sum.usd, runs: -sum.runs, tokens: -sum.tokens });
      }
    }
    return { rows: sums.rows() };
  },
});

function rowsOf(sql: SqlStorage, { kind, only, fromDay, toDay }: DailyAsk): SqlStorageCursor<Row> {
  const kinds = only === null && kind !== "org" ? [kind, "org"] : [kind];
  return sql.exec<Row>(
    `SELECT scope_kind, scope_id, day, usd, runs, tokens FROM usage_daily
     WHERE scope_kind IN (SELECT value FROM json_each(?1)) AND day >= ?2 AND day < ?3
       AND (?4 IS NULL OR scope_id = ?4)`,
    JSON.stringify(kinds),
    fromDay,
    toDay,
    only,
  );
}
