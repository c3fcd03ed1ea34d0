import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Whoever comes second waits: the runtime has the same files open. */
const PATIENCE_MS = 5000;

/** The tables of orgs' objects that have a text in one of their rows, in whatever column. Pages of files that are free do not count. */
export function tablesWith(state: string, text: string): string[] {
  const objects = join(state, "v3/do/sluice-OrgObject");
  const files = readdirSync(objects).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
  return files.flatMap((file) => {
    const database = new DatabaseSync(join(objects, file), { readOnly: true, timeout: PATIENCE_MS });
    try {
      return tablesOf(database).filter((table) => isIn(database, table, text));
    } finally {
      database.close();
    }
  });
}

function tablesOf(database: DatabaseSync): string[] {
  const rows = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return rows.map(({ name }) => String(name));
}

function isIn(database: DatabaseSync, table: string, text: string): boolean {
  const rows = database.prepare(`SELECT * FROM "${table}"`);
  rows.setReadBigInts(true);
  for (const row of rows.iterate()) {
    for (const value of Object.values(row)) {
      if (typeof value === "string" && value.includes(text)) return true;
      if (value instanceof Uint8Array && Buffer.from(value).includes(text)) return true;
    }
  }
  return false;
}
