import { STORED_BEFORE } from "../../domain/tenant/stored-before.ts";
import { makeHashKey } from "../../storage/segments/hash-key.ts";

/** Runs are in `run_blocks`, many to a row. The other facts about them are in tables of their own. */
export const RUN_STEPS = {
  "runs/1": `CREATE TABLE run_blocks (
      first_seq INTEGER PRIMARY KEY,
      state TEXT NOT NULL,
      runs INTEGER NOT NULL,
      started_min INTEGER NOT NULL,
      started_max INTEGER NOT NULL,
      recorded_min INTEGER NOT NULL,
      recorded_max INTEGER NOT NULL,
      cost_min TEXT NOT NULL,
      cost_max TEXT NOT NULL,
      names BLOB NOT NULL,
      data BLOB NOT NULL
    ) STRICT;
    CREATE TABLE run_metadata (
      run_id TEXT NOT NULL,
      part INTEGER NOT NULL,
      text TEXT NOT NULL,
      PRIMARY KEY (run_id, part)
    ) STRICT;
    CREATE TABLE run_tag_names (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID`,
  // The index of ids. The filters of its large segments are stored whole, so that waking reads few rows.
  "runs/ids": {
    sql: `CREATE TABLE run_id_key (
      one INTEGER PRIMARY KEY,
      first INTEGER NOT NULL,
      second INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE run_id_segments (
      segment INTEGER PRIMARY KEY,
      level INTEGER NOT NULL,
      first_seq INTEGER NOT NULL,
      last_seq INTEGER NOT NULL,
      state TEXT NOT NULL,
      step INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE run_id_blocks (
      place INTEGER PRIMARY KEY,
      filter BLOB NOT NULL,
      entries BLOB NOT NULL
    ) STRICT;
    CREATE TABLE run_id_block_parts (
      place INTEGER NOT NULL,
      part INTEGER NOT NULL,
      entries BLOB NOT NULL,
      PRIMARY KEY (place, part)
    ) STRICT;
    CREATE TABLE run_id_filters (
      segment INTEGER NOT NULL,
      part INTEGER NOT NULL,
      first_seq INTEGER NOT NULL,
      last_seq INTEGER NOT NULL,
      filter BLOB NOT NULL,
      PRIMARY KEY (segment, part)
    ) STRICT, WITHOUT ROWID`,
    fill: (sql: SqlStorage) => makeHashKey(sql, "run"),
  },
  // Sums of days, and of stored runs by the names in one column. `counts` has the tokens of the input, of the output and by
  // class, separated by spaces.
  "runs/sums": `CREATE TABLE usage_daily (
      day TEXT NOT NULL,
      scope_kind TEXT NOT NULL,
      scope_id TEXT NOT NULL,
      usd TEXT NOT NULL,
      runs INTEGER NOT NULL,
      tokens INTEGER NOT NULL,
      counts TEXT NOT NULL,
      PRIMARY KEY (scope_kind, scope_id, day)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE run_digests (
      kind INTEGER NOT NULL,
      first_seq INTEGER NOT NULL,
      last_seq INTEGER NOT NULL,
      started_min INTEGER NOT NULL,
      started_max INTEGER NOT NULL,
      groups INTEGER NOT NULL,
      data BLOB NOT NULL,
      PRIMARY KEY (kind, first_seq)
    ) STRICT, WITHOUT ROWID`,
  // Estimates of reservations that nobody had settled, by the runs that were reported for them later, and a log of them for
  // exports that have the estimates already.
  "runs/replaced": `CREATE TABLE replaced_runs (
      run_id TEXT PRIMARY KEY,
      by_run_id TEXT NOT NULL,
      at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE run_replacements (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      run_id TEXT NOT NULL,
      by_run_id TEXT NOT NULL,
      at INTEGER NOT NULL,
      started_at INTEGER NOT NULL,
      cost TEXT NOT NULL,
      names TEXT NOT NULL
    ) STRICT`,
  // Files in the archive, what is known of the runs in them, and the last run that was ever archived. `place` tells the files
  // of this stay in a region from those of others. It is null if the org was made here.
  "runs/archive": `CREATE TABLE run_files (
      first_seq INTEGER PRIMARY KEY,
      state TEXT NOT NULL,
      name TEXT NOT NULL,
      runs INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      blocks_at INTEGER NOT NULL,
      started_min INTEGER NOT NULL,
      started_max INTEGER NOT NULL,
      recorded_min INTEGER NOT NULL,
      recorded_max INTEGER NOT NULL,
      cost TEXT NOT NULL,
      input_tokens INTEGER NOT NULL,
      output_tokens INTEGER NOT NULL,
      groups BLOB NOT NULL
    ) STRICT;
    CREATE INDEX run_files_unmade ON run_files (state) WHERE state <> 'made';
    CREATE TABLE run_file_indexes (
      first_seq INTEGER PRIMARY KEY,
      names BLOB NOT NULL,
      ids BLOB NOT NULL
    ) STRICT;
    CREATE TABLE run_archive (
      one INTEGER PRIMARY KEY,
      last_seq INTEGER NOT NULL,
      place TEXT
    ) STRICT`,
  // No table changes. From here on the write-ahead log has rows of runs, which an earlier version cannot store.
  "runs/waiting": {},
  // Of each file what an object that wakes reads, and of each segment in a file what it reads when somebody comes to it. Files of
  // an earlier version were never released: an object that has some stays as it is.
  "runs/files": {
    fill: (sql: SqlStorage) => {
      if (sql.exec("SELECT 1 FROM run_files LIMIT 1").toArray().length > 0) throw new Error(STORED_BEFORE);
      sql.exec(`DROP TABLE run_files;
        DROP TABLE run_file_indexes;
        CREATE TABLE run_files (
          first_seq INTEGER PRIMARY KEY,
          state TEXT NOT NULL,
          name TEXT NOT NULL,
          runs INTEGER NOT NULL,
          bytes INTEGER NOT NULL,
          segments INTEGER NOT NULL,
          started_min INTEGER NOT NULL,
          started_max INTEGER NOT NULL,
          recorded_min INTEGER NOT NULL,
          recorded_max INTEGER NOT NULL,
          cost_min TEXT NOT NULL,
          cost_max TEXT NOT NULL
        ) STRICT;
        CREATE INDEX run_files_unmade ON run_files (state) WHERE state <> 'made';
        CREATE TABLE run_file_segments (
          first_seq INTEGER PRIMARY KEY,
          runs INTEGER NOT NULL,
          starts_at INTEGER NOT NULL,
          bytes INTEGER NOT NULL,
          digest TEXT NOT NULL,
          started_min INTEGER NOT NULL,
          started_max INTEGER NOT NULL,
          recorded_min INTEGER NOT NULL,
          recorded_max INTEGER NOT NULL,
          cost_min TEXT NOT NULL,
          cost_max TEXT NOT NULL,
          names BLOB NOT NULL,
          hashes BLOB NOT NULL
        ) STRICT`);
    },
  },
};
