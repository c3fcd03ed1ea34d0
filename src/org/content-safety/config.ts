import { type Detector, type DetectorSet, detectorSet } from "../../domain/safety/safety.ts";
import type { ContentSafety, NewContentSafety } from "../../contract/resources/content-safety.ts";
import { compiledOnce } from "../kernel/compile-once.ts";
import { TransactionalCache } from "../../storage/transactional-cache.ts";
import { command, done, query, type View } from "../kernel/door.ts";
import { presentRulesEngine } from "../kernel/rules-engine.ts";
import { saveRow } from "../../storage/rows.ts";

type Row = { detectors: string; updated_at: number };

function load(sql: SqlStorage): { detectors: Detector[]; updatedAt: number | null } {
  const row = sql.exec<Row>("SELECT detectors, updated_at FROM content_safety").toArray()[0];
  if (row === undefined) return { detectors: [], updatedAt: null };
  return { detectors: JSON.parse(row.detectors) as Detector[], updatedAt: row.updated_at };
}

const compiled = compiledOnce<DetectorSet>("safety", (sql) =>
  detectorSet(load(sql).detectors, () => presentRulesEngine().compileLinear),
);

/** The org's compiled detectors. */
export const loadDetectors = compiled.load;

const anyDetector = new TransactionalCache<boolean>();

/**
 * Returns whether the org has any detector, of either action. Kept in memory, because gates are told with each
 * exchange.
 */
export function hasDetectors(sql: SqlStorage): boolean {
  return anyDetector.get(sql, () => load(sql).detectors.length > 0);
}

function current(view: View): ContentSafety {
  const { detectors, updatedAt } = load(view.sql);
  return { detectors, updated_at: updatedAt === null ? null : new Date(updatedAt).toISOString() };
}

export const getContentSafety = query({ refuses: [], run: current });

export const setContentSafety = command({
  action: "content_safety.updated",
  changesLimits: true,
  refuses: ["conflict"],
  current: (view, _input: NewContentSafety) => current(view),
  run(tx, input: NewContentSafety) {
    const detectors = JSON.stringify(input.detectors);
    saveRow(tx.sql, "content_safety", { one: 1, detectors, updated_at: tx.now });
    compiled.changed(tx.sql);
    anyDetector.forget(tx.sql);
    const detail = { detectors: input.detectors.map(({ id, action }) => ({ id, action })) };
    return done(200, current(tx), { target: tx.orgId, detail });
  },
});
