import { TransactionalCache } from "../../storage/transactional-cache.ts";
import { runInParts } from "../../storage/json-rows.ts";
import type { Run } from "./run.ts";

/** Names of tags that runs have had. Of an org with more than so many, any other name may be one too. */
const MOST_NAMES = 10_000;

const copies = new TransactionalCache<Set<string>>();

function known(sql: SqlStorage): Set<string> {
  return copies.get(sql, () => {
    const rows = sql.exec<{ name: string }>("SELECT name FROM run_tag_names").toArray();
    return new Set(rows.map(({ name }) => name));
  });
}

/** Returns whether a run may have had a tag of this name. */
export function mayBeTag(sql: SqlStorage, name: string): boolean {
  const names = known(sql);
  return names.has(name) || names.size >= MOST_NAMES;
}

export function noteTagNames(sql: SqlStorage, runs: readonly Run[]): void {
  const texts = new Set<string>();
  for (const { tags } of runs) if (tags !== null) texts.add(tags);
  if (texts.size === 0) return;
  const names = known(sql);
  const fresh = new Set<string>();
  for (const text of texts) {
    for (const name of Object.keys(JSON.parse(text) as object)) if (!names.has(name)) fresh.add(name);
  }
  const added = [...fresh].slice(0, MOST_NAMES - names.size);
  if (added.length === 0) return;
  runInParts(added, (json) =>
    sql.exec("INSERT INTO run_tag_names (name) SELECT value FROM json_each(?)", json),
  );
  for (const name of added) names.add(name);
}
