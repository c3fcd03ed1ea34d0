import type { LimitsInUse } from "../../contract/resources/limits.ts";
import { formatUsd } from "../../domain/price/money.ts";
import { sumHeldAfter } from "../decisions/open-holds.ts";
import { query } from "../kernel/door.ts";
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
      reserved_usd: formatUsd(sumHeldAfter(view.sql, view.now)),
      count: rows.length,
      data: rows.slice(0, limit).map(toLimit),
    };
  },
});
