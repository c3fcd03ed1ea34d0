import { refuse } from "../../contract/refusal.ts";
import type { NewFallback } from "../../contract/resources/fallbacks.ts";
import { command, done } from "../kernel/door.ts";
import {
  dropFallback,
  fallbackNow,
  type FallbackRow,
  loadFallback,
  saveFallback,
  toFallback,
} from "./store.ts";
import { refuseMore } from "../kernel/resource.ts";
import { countRows } from "../../storage/rows.ts";

const MOST_RULES = 50;

type SetFallback = { readonly name: string; readonly rule: NewFallback };

export const setFallback = command({
  action: "fallback.set",
  refuses: ["conflict"],
  current: fallbackNow,
  run(tx, { name, rule }: SetFallback) {
    const before = loadFallback(tx.sql, name);
    if (before === null && countRows(tx.sql, "fallbacks") >= MOST_RULES) {
      return refuseMore(MOST_RULES, "fallbacks");
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

export const deleteFallback = command({
  action: "fallback.deleted",
  refuses: ["not_found", "conflict"],
  current: fallbackNow,
  run(tx, { name }: { name: string }) {
    if (loadFallback(tx.sql, name) === null) return refuse("not_found");
    dropFallback(tx.sql, name);
    return done(204, null, { target: name, detail: {} });
  },
});
