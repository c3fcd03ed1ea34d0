/**
 * A window has a part of each of three logs, from where the window before ended: runs, adjustments and replacements. The
 * `…_from` of an export are where its next window begins; those of a window, what is still to be written of it.
 *
 * An export of spans has no windows. Its `run_from` is the next run to send, and `refusal_from` the next row of refusals;
 * `refusal_row` and `refusal_index` are the row that is partly sent. Rows of refusals are numbered by time, so one that was
 * reported late may be before `refusal_from`, or before `refusal_read_to`, the last row that a request on its way may have:
 * `late_refusals` has these. `most` spans go into a request.
 */
export const EXPORT_STEPS = {
  "exports/1": `CREATE TABLE exports (
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
  "exports/2": `CREATE TABLE span_exports (
      name TEXT PRIMARY KEY,
      refusal_from INTEGER NOT NULL,
      refusal_read_to INTEGER NOT NULL,
      refusal_row INTEGER,
      refusal_index INTEGER NOT NULL,
      most INTEGER NOT NULL,
      sent INTEGER NOT NULL,
      rejected INTEGER NOT NULL,
      dropped INTEGER NOT NULL,
      sent_to INTEGER NOT NULL,
      waiting_since INTEGER,
      attempts INTEGER NOT NULL,
      error TEXT,
      next_attempt_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE late_refusals (
      export TEXT NOT NULL,
      seq INTEGER NOT NULL,
      PRIMARY KEY (export, seq)
    ) STRICT, WITHOUT ROWID`,
};
