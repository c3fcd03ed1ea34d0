import type { SchemaStep } from "../../storage/schema-step.ts";

/**
 * A window has a part of each of three logs, from where the window before ended: runs, adjustments and replacements. The
 * `…_from` of an export are where its next window begins; those of a window, what is still to be written of it.
 */
export const EXPORT_STEPS: readonly SchemaStep[] = [
  {
    name: "exports/1",
    sql: `CREATE TABLE exports (
      name TEXT PRIMARY KEY,
      format TEXT NOT NULL,
      focus_version TEXT,
      every TEXT NOT NULL,
      destination TEXT NOT NULL,
      sealed TEXT,
      change INTEGER NOT NULL,
      next_from INTEGER NOT NULL,
      run_from INTEGER NOT NULL,
      adjustment_from INTEGER NOT NULL,
      replacement_from INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE export_windows (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      export TEXT NOT NULL,
      folder TEXT NOT NULL,
      from_at INTEGER NOT NULL,
      to_at INTEGER NOT NULL,
      first_run INTEGER NOT NULL,
      first_adjustment INTEGER NOT NULL,
      first_replacement INTEGER NOT NULL,
      run_from INTEGER NOT NULL,
      run_to INTEGER NOT NULL,
      adjustment_from INTEGER NOT NULL,
      adjustment_to INTEGER NOT NULL,
      replacement_from INTEGER NOT NULL,
      replacement_to INTEGER NOT NULL,
      files INTEGER NOT NULL,
      rows INTEGER NOT NULL,
      cost TEXT NOT NULL,
      attempts INTEGER NOT NULL,
      error TEXT,
      next_attempt_at INTEGER,
      written_at INTEGER
    ) STRICT;
    CREATE INDEX export_windows_export ON export_windows (export, from_at, folder);
    CREATE TABLE export_files (
      window INTEGER NOT NULL,
      file INTEGER NOT NULL,
      data TEXT NOT NULL,
      PRIMARY KEY (window, file)
    ) STRICT, WITHOUT ROWID`,
  },
];
