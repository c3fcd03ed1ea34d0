import type { LimitsInUse } from "../../contract/resources/limits.ts";
import { formatUsd } from "../../domain/money.ts";
import { query, type View } from "../kernel/door.ts";
import { limitRows, toLimit } from "./rows.ts";

/** All limits of the org, whatever their kind: the ones that run out next come first. */
export const listLimits = query({
  refuses: [],
  run(view, { limit }: { limit: number }): LimitsInUse {
    const rows = limitRows(view).sort(
      (one, other) =>
        (one.runsOutMs ?? Infinity) - (other.runsOutMs ?? Infinity) || other.used - one.used || 0,
    );
    return {
      reserved_usd: formatUsd(openHolds(view)),
      count: rows.length,
      data: rows.slice(0, limit).map(toLimit),
    };
  },
});

const NANOS = 1_000_000_000n;

/** Dollars and nano-dollars are added up apart: their sum may exceed 64 bits. */
function openHolds({ sql, now }: View): bigint {
  const { dollars, nanos } = sql
    .exec<{ dollars: number; nanos: number }>(
      `SELECT IFNULL(SUM(CAST(amount AS INTEGER) / 1000000000), 0) AS dollars,
              IFNULL(SUM(CAST(amount AS INTEGER) % 1000000000), 0) AS nanos
       FROM holds WHERE status = 'open' AND expires_at > ?`,
      now,
    )
    .one();
  return BigInt(dollars) * NANOS + BigInt(nanos);
}
