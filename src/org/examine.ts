import { checkFile } from "../storage/segments/archive/export.ts";
import { runSegments } from "./runs/segments/segments.ts";

/** A larger database is not read whole: that takes longer than a health check waits. */
const MOST_DATABASE_BYTES = 67_108_864;

/** `unknown`: it was not looked at. */
export type Examined = { readonly is: "well" | "unknown" } | { readonly is: "damaged"; readonly why: string };

const WELL: Examined = { is: "well" };

/** Looks at a file of the archive again that could not be read. A file that is no longer needed is well. */
export async function examineFile(sql: SqlStorage, name: string): Promise<Examined> {
  const unreadable = await checkFile(runSegments(sql), name);
  return unreadable === null ? WELL : { is: "damaged", why: unreadable.cure };
}

/** Reads the whole database of an object again, by SQLite's own check. */
export function examineDatabase(sql: SqlStorage): Examined {
  if (sql.databaseSize > MOST_DATABASE_BYTES) return { is: "unknown" };
  const [found] = sql.exec<{ quick_check: string }>("PRAGMA quick_check(1)").toArray();
  return found === undefined || found.quick_check === "ok" ? WELL : { is: "damaged", why: found.quick_check };
}
