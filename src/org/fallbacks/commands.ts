import { refuse } from "../../contract/refusal.ts";
import type { NewFallback } from "../../contract/resources/fallbacks.ts";
import { command, done } from "../kernel/door.ts";
import { dropFallback, type FallbackRow, loadFallback, saveFallback, toFallback } from "./store.ts";

const MOST_RULES = 50;

type SetFallback = { readonly name: string; readonly rule: NewFallback };

export const setFallback = command({
  action: "fallback.set",
  refuses: ["conflict"],
  current(view, { name }: SetFallback) {
    const row = loadFallback(view.sql, name);
    return row === null ? null : toFallback(row);
  },
  run(tx, { name, rule }: SetFallback) {
    const before = loadFallback(tx.sql, name);
    if (before === null && countRules(tx.sql) >= MOST_RULES) {
      const message = `An organization can have at most ${MOST_RULES} fallbacks. Delete one first.`;
      return refuse("conflict", {}, { message });
    }
    const row: FallbackRow = {
      name,
      rule: JSON.stringify(rule),
      created_at: before?.created_at ?? tx.now,
      updated_at: tx.now,
    };
    saveFallback(tx.sql, row);
    const { created_at: _, updated_at: __, ...detail } = toFallback(row);
    return done(200, toFallback(row), { target: name, detail });
  },
});

function countRules(sql: SqlStorage): number {
  return sql.exec<{ count: number }>("SELECT COUNT(*) AS count FROM fallbacks").one().count;
}

export const deleteFallback = command({
  action: "fallback.deleted",
  refuses: ["not_found", "conflict"],
  current(view, { name }: { name: string }) {
    const row = loadFallback(view.sql, name);
    return row === null ? null : toFallback(row);
  },
  run(tx, { name }) {
    if (loadFallback(tx.sql, name) === null) return refuse("not_found");
    dropFallback(tx.sql, name);
    return done(204, null, { target: name, detail: {} });
  },
});
