import { dropUniqueIds } from "../log-table.ts";
import type { SchemaStep } from "../schema-step.ts";

const EVENTS_TABLE = `(
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  data TEXT NOT NULL,
  parent TEXT
) STRICT`;

export const EVENT_STEPS: readonly SchemaStep[] = [
  {
    name: "events/1",
    sql: `CREATE TABLE events (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      type TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      data TEXT NOT NULL
    ) STRICT`,
  },
  // The trace of the request that caused it.
  { name: "events/2", sql: "ALTER TABLE events ADD COLUMN parent TEXT" },
  {
    // An event is found by the time that its id says.
    name: "events/3",
    fill(sql) {
      dropUniqueIds(sql, "events", EVENTS_TABLE);
    },
  },
  {
    // Many events to a row, as JSON, in the order of the columns of `events`. Earlier events stay where they are.
    name: "events/4",
    sql: `CREATE TABLE event_pages (
      first INTEGER PRIMARY KEY,
      last INTEGER NOT NULL,
      at INTEGER NOT NULL,
      body TEXT NOT NULL
    ) STRICT`,
  },
];
