import { DatabaseSync } from "node:sqlite";
import type { SchemaStep } from "../../src/org/kernel/schema-step.ts";

/** The tables of a new object, as its steps make them one after the other. */

interface Made {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

export const WHOLE_SCHEMA_FILE = "src/org/generated/whole-schema.ts";

/** The file that has the schema in one text. */
export function wholeSchemaFile(steps: readonly SchemaStep[]): string {
  const text = wholeSchema(steps).replaceAll("\\", "\\\\").replaceAll("`", "\\`").replaceAll("${", "\\${");
  return `/**
 * Written by \`npm run generate\` from the schema steps: what all of them make together. A new object runs this one text
 * in a quarter of the time.
 */
export const WHOLE_SCHEMA = \`${text}\`;
`;
}

function wholeSchema(steps: readonly SchemaStep[]): string {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE schema_steps (name TEXT PRIMARY KEY) STRICT");
  for (const { name, sql, fill, ofEachObject } of steps) {
    if (sql !== undefined) database.exec(sql);
    if (ofEachObject !== true) fill?.(storageOf(database));
    database.prepare("INSERT INTO schema_steps (name) VALUES (?)").run(name);
  }
  const made = database
    .prepare("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'")
    .all() as unknown as Made[];
  const tables = made.filter(({ type }) => type === "table");
  const others = made.filter(({ type }) => type !== "table");
  const rows = tables.flatMap(({ name }) => insertOf(database, name));
  return [...[...tables, ...others].map(({ sql }) => onOneLine(sql)), ...rows].join(";\n");
}

/** No name and no default of a column has two spaces. */
const onOneLine = (text: string) => text.replaceAll(/\s+/g, " ");

function insertOf(database: DatabaseSync, table: string): string[] {
  const rows = database.prepare(`SELECT * FROM ${table}`).all();
  const [first] = rows;
  if (first === undefined) return [];
  const values = rows.map((row) => `(${Object.values(row).map(literal).join(", ")})`);
  return [`INSERT INTO ${table} (${Object.keys(first).join(", ")}) VALUES ${values.join(", ")}`];
}

function literal(value: unknown): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  throw new TypeError(`a new object has a value that no text holds: ${typeof value}`);
}

/** As much of an object's storage as a step needs that finds its tables empty. */
function storageOf(database: DatabaseSync): SqlStorage {
  const exec = (text: string, ...given: (string | number | null)[]) => {
    const rows = database.prepare(text).all(...given);
    return { toArray: () => rows, one: () => rows[0], [Symbol.iterator]: () => rows[Symbol.iterator]() };
  };
  return { exec } as unknown as SqlStorage;
}
