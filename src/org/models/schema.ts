import type { PriceShown } from "../../contract/resources/prices.ts";
import { formatUsd } from "../../domain/money.ts";
import { otherName } from "../../domain/price/names.ts";
import { termsOf } from "../../domain/price/terms.ts";
import type { SchemaStep } from "../kernel/schema-step.ts";

/**
 * `price_revisions` has every price that may have priced an org's runs: its own, and those of the platform's book for
 * the names that it uses. Rows stay, because a run names its revision, which explains its cost. Without terms, the
 * price was removed. `other_name` is the name with or without the provider's prefix. `provider` is not empty if the
 * platform's book was asked for a model of that provider: the name then begins with it, and `found` says which row of
 * the book has the price. `priced_models` lists the org's own models, and those of the platform's book under names that
 * are not the org's own.
 */
export const MODEL_STEPS: readonly SchemaStep[] = [
  {
    name: "models/1",
    sql: `CREATE TABLE models (
      model TEXT PRIMARY KEY,
      input_nanos_per_mtok TEXT NOT NULL,
      output_nanos_per_mtok TEXT NOT NULL,
      regions TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
  },
  {
    name: "models/2",
    sql: `CREATE TABLE price_revisions (
      revision INTEGER PRIMARY KEY,
      model TEXT NOT NULL,
      other_name TEXT,
      source TEXT NOT NULL,
      platform_revision INTEGER,
      effective_at INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      terms TEXT
    ) STRICT;
    CREATE INDEX price_revisions_model ON price_revisions (model);
    CREATE INDEX price_revisions_other_name ON price_revisions (other_name) WHERE other_name IS NOT NULL;
    CREATE TABLE platform_book (revision INTEGER NOT NULL) STRICT;
    CREATE VIEW priced_models AS SELECT model, created_at FROM models
      UNION ALL SELECT model, created_at FROM price_revisions AS p
        WHERE source = 'platform' AND terms IS NOT NULL AND model NOT IN (SELECT model FROM models)
          AND model NOT IN (SELECT own.other_name FROM price_revisions AS own JOIN models USING (model)
            WHERE own.source = 'org' AND own.other_name IS NOT NULL)
          AND NOT EXISTS (SELECT 1 FROM price_revisions AS later
            WHERE later.model = p.model AND later.source = 'platform' AND later.revision > p.revision)`,
    fill: fillRevisions,
  },
  {
    name: "models/3",
    sql: `DROP VIEW priced_models;
    CREATE VIEW priced_models AS SELECT model, created_at FROM models
      UNION ALL SELECT model, created_at FROM price_revisions AS p
        WHERE source = 'platform' AND terms IS NOT NULL AND model NOT IN (SELECT model FROM models)
          AND NOT EXISTS (SELECT 1 FROM price_revisions AS later
            WHERE later.model = p.model AND later.source = 'platform' AND later.revision > p.revision)`,
    fill: fillOtherNames,
  },
  {
    name: "models/4",
    sql: `ALTER TABLE price_revisions ADD COLUMN provider TEXT NOT NULL DEFAULT '';
    ALTER TABLE price_revisions ADD COLUMN found TEXT;
    ALTER TABLE platform_book ADD COLUMN providers TEXT NOT NULL DEFAULT '[]';
    DROP VIEW priced_models;
    CREATE VIEW priced_models AS SELECT model, created_at FROM models
      UNION ALL SELECT model, MIN(created_at) AS created_at FROM price_revisions AS p
        WHERE source = 'platform' AND terms IS NOT NULL AND model NOT IN (SELECT model FROM models)
          AND NOT EXISTS (SELECT 1 FROM price_revisions AS later
            WHERE later.model = p.model AND later.provider = p.provider AND later.source = 'platform'
              AND later.revision > p.revision)
        GROUP BY model`,
    fill: forgetBook,
  },
];

/** The book is read again, because it was read without its providers. */
function forgetBook(sql: SqlStorage): void {
  sql.exec("DELETE FROM platform_book");
}

type OldRow = { model: string; input: string; output: string; created_at: number; updated_at: number };

/** Prices from before revisions become the first revision. */
function fillRevisions(sql: SqlStorage): void {
  const rows = sql
    .exec<OldRow>(
      `SELECT model, input_nanos_per_mtok AS input, output_nanos_per_mtok AS output, created_at, updated_at FROM models
       ORDER BY created_at, model`,
    )
    .toArray();
  for (const { model, input, output, created_at: createdAt, updated_at: updatedAt } of rows) {
    const terms = termsOf({
      input_usd_per_mtok: formatUsd(BigInt(input)),
      output_usd_per_mtok: formatUsd(BigInt(output)),
    });
    sql.exec(
      `INSERT INTO price_revisions (model, source, effective_at, created_at, terms) VALUES (?, 'org', ?, ?, ?)`,
      model,
      createdAt,
      updatedAt,
      JSON.stringify(terms),
    );
  }
}

function fillOtherNames(sql: SqlStorage): void {
  const rows = sql
    .exec<{ revision: number; model: string; terms: string }>(
      "SELECT revision, model, terms FROM price_revisions WHERE source = 'platform' AND terms IS NOT NULL",
    )
    .toArray();
  for (const { revision, model, terms } of rows) {
    const { provider } = JSON.parse(terms) as PriceShown;
    if (provider === null) continue;
    sql.exec(
      "UPDATE price_revisions SET other_name = ? WHERE revision = ?",
      otherName(model, provider),
      revision,
    );
  }
}
