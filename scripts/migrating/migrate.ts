export interface Migration {
  readonly name: string;
  readonly sql: string;
}

/**
 * wrangler's own table, character for character, so that `wrangler d1 migrations` and this script see the same history.
 */
const BOOKKEEPING = `CREATE TABLE IF NOT EXISTS "d1_migrations"(
		id         INTEGER PRIMARY KEY AUTOINCREMENT,
		name       TEXT UNIQUE,
		applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

/** Applies the migrations that the database lacks, each file completely or not at all. */
export async function migrate(database: D1Database, migrations: readonly Migration[]): Promise<void> {
  await database.prepare(BOOKKEEPING).run();
  const applied = await database.prepare(`SELECT name FROM "d1_migrations"`).all<{ name: string }>();
  const known = new Set(applied.results.map((row) => row.name));
  for (const { name, sql } of migrations) {
    if (known.has(name)) continue;
    await database.batch([
      database.prepare(sql),
      database.prepare(`INSERT INTO "d1_migrations" (name) VALUES (?)`).bind(name),
    ]);
  }
}
