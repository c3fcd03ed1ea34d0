/**
 * Holds are in `hold_pages`, many to a row, as JSON, in the order of their columns (`table.ts`). What is known of a page
 * without them comes before them. `hold_id_segments` and the tables after it are the index of ids. `forgotten_holds` says
 * when the last of the holds was made that are no longer stored.
 */
export const HOLD_STEPS = {
  "holds/1": `CREATE TABLE forgotten_holds (made_until INTEGER NOT NULL) STRICT;
    INSERT INTO forgotten_holds VALUES (0);
    CREATE TABLE hold_pages (
      first INTEGER PRIMARY KEY,
      last INTEGER NOT NULL,
      first_expiry INTEGER,
      open INTEGER NOT NULL,
      held TEXT NOT NULL,
      unreported INTEGER NOT NULL,
      body TEXT NOT NULL
    ) STRICT;
    CREATE INDEX hold_pages_open ON hold_pages (first_expiry) WHERE first_expiry IS NOT NULL;
    CREATE INDEX hold_pages_unreported ON hold_pages (first) WHERE unreported > 0;
    CREATE TABLE hold_id_segments (
      segment INTEGER PRIMARY KEY,
      level INTEGER NOT NULL,
      first_seq INTEGER NOT NULL,
      last_seq INTEGER NOT NULL,
      state TEXT NOT NULL,
      step INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE hold_id_blocks (
      place INTEGER PRIMARY KEY,
      filter BLOB NOT NULL,
      entries BLOB NOT NULL
    ) STRICT;
    CREATE TABLE hold_id_block_parts (
      place INTEGER NOT NULL,
      part INTEGER NOT NULL,
      entries BLOB NOT NULL,
      PRIMARY KEY (place, part)
    ) STRICT, WITHOUT ROWID`,
};
