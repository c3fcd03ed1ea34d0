/**
 * A ring of entries: each slot is written over when its turn comes again, so that an entry costs one row and no deletion.
 * Slot 0 says up to which entry all is in the tables, and slot -1 what the tables of the entries look like.
 */
export const WAL_STEPS = {
  "journal/1": `CREATE TABLE journal (
      slot INTEGER PRIMARY KEY,
      seq INTEGER NOT NULL,
      body TEXT NOT NULL
    ) STRICT`,
};
