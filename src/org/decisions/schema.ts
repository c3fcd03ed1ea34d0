import type { SchemaStep } from "../kernel/schema-step.ts";

/** The part of an id that it is found by: the last of its random characters, which distinguish a billion holds. */
export function idTail(id: string): string {
  return `substr(${id}, 25)`;
}

/** `meters` names the limits of the hold, separated by spaces. */
export const HOLD_STEPS: readonly SchemaStep[] = [
  {
    name: "holds/1",
    sql: `CREATE TABLE holds (
      id TEXT PRIMARY KEY,
      request_id TEXT,
      digest TEXT NOT NULL,
      status TEXT NOT NULL,
      at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      ended_at INTEGER,
      amount TEXT NOT NULL,
      meters TEXT NOT NULL,
      customer_id TEXT,
      verdict TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX holds_request ON holds (request_id) WHERE request_id IS NOT NULL;
    CREATE INDEX holds_open ON holds (expires_at) WHERE status = 'open';
    CREATE INDEX holds_ended ON holds (ended_at) WHERE ended_at IS NOT NULL`,
  },
  // A request's hold is found by its name, which derives from the request's id.
  { name: "holds/2", sql: "DROP INDEX holds_request" },
  {
    // Names are in random order. If rows were sorted by them, each would be on its own page, and pages are written
    // whole.
    name: "holds/3",
    sql: `DROP INDEX holds_open;
    DROP INDEX holds_ended;
    ALTER TABLE holds RENAME TO holds_by_name;
    CREATE TABLE holds (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      request_id TEXT,
      digest TEXT NOT NULL,
      status TEXT NOT NULL,
      at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      ended_at INTEGER,
      amount TEXT NOT NULL,
      meters TEXT NOT NULL,
      customer_id TEXT,
      verdict TEXT NOT NULL
    ) STRICT;
    INSERT INTO holds (id, request_id, digest, status, at, expires_at, ended_at, amount, meters, customer_id, verdict)
      SELECT id, request_id, digest, status, at, expires_at, ended_at, amount, meters, customer_id, verdict
      FROM holds_by_name ORDER BY at;
    DROP TABLE holds_by_name;
    CREATE INDEX holds_open ON holds (expires_at) WHERE status = 'open';
    CREATE INDEX holds_ended ON holds (ended_at) WHERE ended_at IS NOT NULL`,
  },
  {
    // Ids are in random order, so each new one is on its own page of the index. A smaller index has fewer pages.
    // Ids are still unique: the code checks before it inserts one.
    name: "holds/4",
    sql: `DROP INDEX holds_open;
    DROP INDEX holds_ended;
    ALTER TABLE holds RENAME TO holds_by_id;
    CREATE TABLE holds (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL,
      digest TEXT NOT NULL,
      status TEXT NOT NULL,
      at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      ended_at INTEGER,
      amount TEXT NOT NULL,
      meters TEXT NOT NULL,
      customer_id TEXT,
      verdict TEXT NOT NULL
    ) STRICT;
    INSERT INTO holds (seq, id, digest, status, at, expires_at, ended_at, amount, meters, customer_id, verdict)
      SELECT seq, id, digest, status, at, expires_at, ended_at, amount, meters, customer_id, verdict
      FROM holds_by_id ORDER BY seq;
    DROP TABLE holds_by_id;
    CREATE INDEX holds_name ON holds (substr(id, 25));
    CREATE INDEX holds_open ON holds (expires_at) WHERE status = 'open';
    CREATE INDEX holds_ended ON holds (ended_at) WHERE ended_at IS NOT NULL`,
  },
  {
    // A run may settle a hold that no isolate has reported: should the report come, it finds the hold settled. Ids from
    // before this step have no check, and are taken for an hour after it.
    name: "holds/5",
    sql: `ALTER TABLE holds ADD COLUMN unreported INTEGER;
    CREATE INDEX holds_unreported ON holds (seq) WHERE unreported IS NOT NULL;
    CREATE TABLE unchecked_ids (until INTEGER NOT NULL) STRICT;
    INSERT INTO unchecked_ids SELECT (unixepoch() + 3600) * 1000 WHERE EXISTS (SELECT 1 FROM holds)`,
  },
  {
    // What rate limits counted of the decision, so that its run counts only the rest. Unknown for earlier holds.
    name: "holds/6",
    sql: `ALTER TABLE holds ADD COLUMN rates TEXT;
    ALTER TABLE holds ADD COLUMN tokens INTEGER`,
  },
  // What a hold reserves of plans, chains and credit packs.
  { name: "holds/7", sql: "ALTER TABLE holds ADD COLUMN beside TEXT" },
  {
    // Of holds that are no longer stored, when the last of them was made. Ids of requests from before this step say no time,
    // and are taken for an hour after it.
    name: "holds/8",
    sql: `CREATE TABLE forgotten_holds (made_until INTEGER NOT NULL) STRICT;
    INSERT INTO forgotten_holds VALUES (0);
    CREATE TABLE undated_ids (until INTEGER NOT NULL) STRICT;
    INSERT INTO undated_ids SELECT (unixepoch() + 3600) * 1000 WHERE EXISTS (SELECT 1 FROM holds)`,
  },
  // What was asked, as JSON, where it is needed after the decision.
  { name: "holds/9", sql: "ALTER TABLE holds ADD COLUMN asked TEXT" },
  // Holds that ended are looked through by the sweep, in the order of their seqs.
  { name: "holds/10", sql: "DROP INDEX holds_ended" },
  {
    // Many holds to a row, as JSON. What is known without them comes before them. Earlier holds stay where they are.
    name: "holds/11",
    sql: `CREATE TABLE hold_pages (
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
    CREATE TABLE hold_pages_from (seq INTEGER NOT NULL) STRICT;
    INSERT INTO hold_pages_from SELECT IFNULL(MAX(seq), 0) FROM holds;
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
  },
  // The key that a hold was made with, which may settle it after the key itself has ended.
  { name: "holds/12", sql: "ALTER TABLE holds ADD COLUMN key_id TEXT" },
];
