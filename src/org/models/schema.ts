/**
 * `price_revisions` has every price that may have priced an org's runs: its own, and those of the platform's book for
 * the names that it uses. Rows stay, because a run names its revision, which explains its cost. Without terms, the
 * price was removed. `other_name` is the name with or without the provider's prefix. `provider` is not empty if the
 * platform's book was asked for a model of that provider: the name then begins with it, and `found` says which row of
 * the book has the price. `priced_models` lists the org's own models, and those of the platform's book under names that
 * are not the org's own.
 */
export const MODEL_STEPS = {
  "models/1": `CREATE TABLE models (
      model TEXT PRIMARY KEY,
      input_nanos_per_mtok TEXT NOT NULL,
      output_nanos_per_mtok TEXT NOT NULL,
      regions TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE price_revisions (
      revision INTEGER PRIMARY KEY,
      model TEXT NOT NULL,
      other_name TEXT,
      source TEXT NOT NULL,
      platform_revision INTEGER,
      effective_at INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      terms TEXT,
      provider TEXT NOT NULL DEFAULT '',
      found TEXT
    ) STRICT;
    CREATE INDEX price_revisions_model ON price_revisions (model);
    CREATE INDEX price_revisions_other_name ON price_revisions (other_name) WHERE other_name IS NOT NULL;
    CREATE TABLE platform_book (revision INTEGER NOT NULL, providers TEXT NOT NULL DEFAULT '[]') STRICT;
    CREATE VIEW priced_models AS SELECT model, created_at FROM models
      UNION ALL SELECT model, MIN(created_at) AS created_at FROM price_revisions AS p
        WHERE source = 'platform' AND terms IS NOT NULL AND model NOT IN (SELECT model FROM models)
          AND NOT EXISTS (SELECT 1 FROM price_revisions AS later
            WHERE later.model = p.model AND later.provider = p.provider AND later.source = 'platform'
              AND later.revision > p.revision)
        GROUP BY model`,
  // Two rates of a price that has many: they are in its revisions.
  "models/2":
    "ALTER TABLE models DROP COLUMN input_nanos_per_mtok; ALTER TABLE models DROP COLUMN output_nanos_per_mtok",
};
