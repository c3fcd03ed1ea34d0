import { BoundedMap } from "../../domain/cache/bounded-map.ts";
import { TransactionalCache } from "../../storage/transactional-cache.ts";
import type { View } from "./door.ts";

/** Objects of many orgs share an isolate, so the least used compiled values are dropped. */
const MOST_ORGS = 500;

/** By name, the versions of what an org has compiled. Kept in memory, because every run asks for several. */
const versions = new TransactionalCache<ReadonlyMap<string, number>>();

/**
 * Something compiled from an org's rows, once for each version of them. The version is compared with every use, inside the
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
    versions.forget(sql);
  }

  return { load, changed };
}

function versionOf(sql: SqlStorage, name: string): number {
  return versions.get(sql, () => readVersions(sql)).get(name) ?? 0;
}

function readVersions(sql: SqlStorage): ReadonlyMap<string, number> {
  const rows = sql.exec<{ name: string; version: number }>("SELECT name, version FROM compiled_versions");
  return new Map(rows.toArray().map(({ name, version }) => [name, version]));
}
