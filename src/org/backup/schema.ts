export const BACKUP_STEPS = {
  // An archive that is being read, and the archives that this org came from.
  "backup/1": `CREATE TABLE backup_frames (n INTEGER PRIMARY KEY, archive TEXT NOT NULL, frame BLOB NOT NULL) STRICT;
    CREATE TABLE imported_archives (id TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
};
