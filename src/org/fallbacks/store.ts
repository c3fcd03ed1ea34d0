import { etagOf } from "../../contract/etag.ts";
import type { Fallback, FallbackFacts, NewFallback } from "../../contract/resources/fallbacks.ts";
import { countedBy } from "../../domain/meter/counted-by.ts";
import { type MatchInput, type Match, matchOf, traitsIn } from "../../domain/meter/match.ts";
import { parseUsd } from "../../domain/price/money.ts";
import { plainShare } from "../../domain/price/share.ts";
import { saveRow } from "../../storage/rows.ts";
import { TransactionalCache } from "../../storage/transactional-cache.ts";
import { knownMeters } from "../meters/store.ts";
import { type View } from "../kernel/door.ts";

export type FallbackRow = {
  name: string;
  /** JSON. */
  rule: string;
  created_at: number;
  updated_at: number;
};

/** A rule as calls are compared with it. */
export interface KnownRule {
  readonly name: string;
  readonly match: Match;
  readonly then: Fallback["then"];
  readonly on: Fallback["on"];
  /** In billionths. Null if the rule has none. */
  readonly share: bigint | null;
}

interface KnownRules {
  readonly rules: readonly KnownRule[];
  readonly version: string;
}

/** The rules by name, kept in memory between calls. */
const known = new TransactionalCache<KnownRules>();

export function loadFallback(sql: SqlStorage, name: string): FallbackRow | null {
  return sql.exec<FallbackRow>("SELECT * FROM fallbacks WHERE name = ?", name).toArray()[0] ?? null;
}

export function saveFallback(sql: SqlStorage, row: FallbackRow): void {
  saveRow(sql, "fallbacks", row);
  known.forget(sql);
}

export function dropFallback(sql: SqlStorage, name: string): void {
  sql.exec("DELETE FROM fallbacks WHERE name = ?", name);
  known.forget(sql);
}

export function toFallback({ name, rule, created_at, updated_at }: FallbackRow): Fallback {
  const { match, then, on, budget_share } = JSON.parse(rule) as NewFallback;
  return {
    name,
    match,
    then: then.map(({ model, provider }) => ({ model, provider: provider ?? null })),
    on,
    budget_share: budget_share === undefined ? null : plainShare(budget_share),
    created_at: new Date(created_at).toISOString(),
    updated_at: new Date(updated_at).toISOString(),
  };
}

export function fallbackNow({ sql }: Pick<View, "sql">, { name }: { name: string }): Fallback | null {
  const row = loadFallback(sql, name);
  return row === null ? null : toFallback(row);
}

export function knownRules(sql: SqlStorage): KnownRules {
  return known.get(sql, () => {
    const rows = sql.exec<FallbackRow>("SELECT * FROM fallbacks ORDER BY name").toArray().map(toFallback);
    const rules = rows.map(({ name, match, then, on, budget_share: share }) => ({
      name,
      match: matchOf(match as MatchInput, []),
      then,
      on,
      share: share === null ? null : parseUsd(share),
    }));
    return { rules, version: etagOf(rows) };
  });
}

/** Returns what gates hear of the rules with each exchange. Undefined if the org has none. */
export function fallbackFactsOf(sql: SqlStorage, nowMs: number): FallbackFacts | undefined {
  const { rules, version } = knownRules(sql);
  if (rules.length === 0) return undefined;
  const shares = rules.some(({ share }) => share !== null);
  const byRules = traitsIn(rules.map(({ match }) => match));
  const by = countedBy([...byRules, ...(shares ? knownMeters(sql, nowMs).countedBy : [])]);
  return { version, by, shares };
}
