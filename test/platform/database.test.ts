import { is } from "drizzle-orm/entity";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { expect, test } from "vitest";
import * as schema from "../../src/platform/database.ts";
import { env } from "../support/worker.ts";

const tables = Object.values(schema).flatMap((value: unknown) => (is(value, SQLiteTable) ? [value] : []));

async function migrated(table: string): Promise<string[]> {
  const { results } = await env.DB.prepare(`PRAGMA table_info(${table})`).all<{
    name: string;
    type: string;
    notnull: number;
    pk: number;
  }>();
  return results
    .map((column) => `${column.name} ${column.type.toLowerCase()} ${column.notnull === 1} ${column.pk > 0}`)
    .sort();
}

test.each(tables.map((table) => [getTableConfig(table).name, table] as const))(
  "the table %s of the migrations is the one that the code expects",
  async (name, table) => {
    const { columns, primaryKeys } = getTableConfig(table);
    const composite = new Set(primaryKeys.flatMap((key) => key.columns.map((column) => column.name)));
    const expected = columns.map((column) => {
      const inKey = column.primary || composite.has(column.name);
      return `${column.name} ${column.getSQLType()} ${column.notNull} ${inKey}`;
    });
    expect(await migrated(name)).toEqual(expected.sort());
  },
);

test("the migrations create no table that the code does not know", async () => {
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%' AND name <> 'd1_migrations'",
  ).all<{ name: string }>();
  const known = tables.map((table) => getTableConfig(table).name);
  expect(results.map((row) => row.name).sort()).toEqual(known.sort());
});
