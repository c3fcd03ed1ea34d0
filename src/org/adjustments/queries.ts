import type { Dimension } from "../../contract/dimensions.ts";
import type { ListQuery } from "../../contract/list.ts";
import { refuse } from "../../contract/refusal.ts";
import { parseRunFilter } from "../../contract/run-filters.ts";
import { isOfEarlierMonth } from "../../domain/focus/correction.ts";
import type { RunNames } from "../../domain/run/segment/run-names.ts";
import { tagIn } from "../../domain/usage-report/tag.ts";
import { query } from "../kernel/door.ts";
import { listRows } from "../../storage/list-rows.ts";
import { replacedRuns } from "../runs/replacements.ts";
import { isCharged } from "../../domain/meter/is-charged.ts";
import { findRun } from "../runs/store.ts";
import { nameIn } from "./names.ts";
import { type AdjustmentRow, fromAdjustmentRow, type StoredAdjustment, toAdjustment } from "./store.ts";

export const listAdjustments = query({
  refuses: ["not_found"],
  run(view, { runId, list }: { runId: string; list: ListQuery }) {
    if (findRun(view.sql, runId) === undefined || replacedRuns(view.sql).has(runId))
      return refuse("not_found");
    return listRows(
      view.sql,
      {
        table: "run_adjustments",
        sort: { created_at: "seq" },
        where: { sql: "run_id = ?", bindings: [runId] },
        toItem: (row: AdjustmentRow) => toAdjustment(fromAdjustmentRow(row)),
      },
      list,
    );
  },
});

const STEP = 2_000;

export interface AdjustmentsAsk {
  readonly fromMs: number;
  /** Not included. */
  readonly toMs: number;
  readonly filters: Readonly<Record<string, string | undefined>>;
  /** The last adjustment that was looked at. 0 if there is none. */
  readonly after: number;
}

/** An adjustment, with what its run named. The amount is in nano-dollars. */
interface MadeAdjustment {
  readonly atMs: number;
  readonly nanos: string;
  readonly names: RunNames;
  readonly isCorrection: boolean;
}

/** Adjustments that were made in a range, of runs that filters match, in steps: others are served in between. */
export const adjustmentsMade = query({
  refuses: [],
  run(view, { fromMs, toMs, filters, after }: AdjustmentsAsk) {
    const rows = view.sql
      .exec<AdjustmentRow>("SELECT * FROM run_adjustments WHERE seq > ? ORDER BY seq LIMIT ?", after, STEP)
      .toArray();
    const made = rows
      .filter(({ at }) => at >= fromMs && at < toMs)
      .map(fromAdjustmentRow)
      .filter((one) => isWanted(view.sql, one, filters))
      .map((one) => toMadeAdjustment(view.sql, one));
    return { made, next: rows.length < STEP ? null : (rows.at(-1)?.seq ?? null) };
  },
});

function toMadeAdjustment(sql: SqlStorage, one: StoredAdjustment): MadeAdjustment {
  return {
    atMs: one.at,
    nanos: String(one.amount),
    names: one.names,
    isCorrection: isOfEarlierMonth(findRun(sql, one.runId)?.startedAt ?? null, one.at),
  };
}

function isWanted(sql: SqlStorage, one: StoredAdjustment, filters: AdjustmentsAsk["filters"]): boolean {
  const { names } = one;
  const sought = parseRunFilter(filters);
  if (!sought.without.every((name) => nameIn(names, name) === null)) return false;
  if (!sought.tags.every(({ name, value }) => tagIn(names.tags ?? null, name) === value)) return false;
  if (!isCharged(sought, () => findRun(sql, one.runId))) return false;
  return sought.names.every(([filter, wanted]) => {
    if (filter === "chain_id") return one.chain === wanted;
    if (filter === "action") return findRun(sql, one.runId)?.action === wanted;
    return nameIn(names, filter as Dimension) === wanted;
  });
}
