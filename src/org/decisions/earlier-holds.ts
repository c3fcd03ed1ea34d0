import { Copy } from "../kernel/copies.ts";
import { readInParts } from "../kernel/json-rows.ts";
import { idTail } from "./schema.ts";
import type { HoldRow } from "./table.ts";

const areLeft = new Copy<boolean>();

/** Whether a hold of an earlier version, which has a row of its own, is left. No more are made. */
export function hasEarlierHolds(sql: SqlStorage): boolean {
  return areLeft.get(sql, () => sql.exec("SELECT 1 FROM holds LIMIT 1").toArray().length > 0);
}

/** Those whose ids end like one of these, as they are stored. */
export function earlierHolds(sql: SqlStorage, ids: readonly string[]): HoldRow[] {
  if (!hasEarlierHolds(sql)) return [];
  return readInParts(ids, (json) =>
    sql.exec<HoldRow>(
      `SELECT h.* FROM json_each(?) AS k CROSS JOIN holds AS h ON ${idTail("h.id")} = ${idTail("k.value")}`,
      json,
    ),
  );
}
