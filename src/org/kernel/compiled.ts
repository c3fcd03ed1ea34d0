import { BoundedMap } from "../../domain/cache/bounded-map.ts";
import type { View } from "./door.ts";

/** Objects of many orgs share an isolate, so the least used compiled values are dropped. */
const MOST_ORGS = 500;

/**
 * Something compiled from an org's rows, once for each version of them. The version is read with every use, inside the
 * transaction, so a rolled-back change leaves nothing compiled behind.
 */
export function compiledOnce<T>(name: string, compile: (sql: SqlStorage) => T) {
  const known = new BoundedMap<string, { version: number; value: T }>(MOST_ORGS);

  function load(view: Pick<View, "sql" | "orgId">): T {
    const version = versionOf(view.sql, name);
    const there = known.get(view.orgId);
    if (there !== undefined && there.version === version) return there.value;
    const value = compile(view.sql);
    known.set(view.orgId, { version, value });
    return value;
  }

  /** A new version gets a new number, never one that a rolled-back change has used. */
  function changed(sql: SqlStorage): void {
    const version = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
    sql.exec(
      "INSERT INTO compiled_versions (name, version) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET version = excluded.version",
      name,
      version,
    );
  }

  return { load, changed };
}

function versionOf(sql: SqlStorage, name: string): number {
  const rows = sql.exec<{ version: number }>("SELECT version FROM compiled_versions WHERE name = ?", name);
  return rows.toArray()[0]?.version ?? 0;
}
