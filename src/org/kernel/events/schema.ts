import type { SchemaStep } from "../schema-step.ts";

/**
 * Events are in `event_pages`, many to a row, as JSON, in the order of the columns of `events`. An event is found by the
 * time that its id says. `parent` is the trace of the request that caused it.
 */
export const EVENT_STEPS: readonly SchemaStep[] = [
  {
    name: "events/1",
    sql: `CREATE TABLE events (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL,
      type TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      data TEXT NOT NULL,
      parent TEXT
    ) STRICT;
    CREATE TABLE event_pages (
      first INTEGER PRIMARY KEY,
      last INTEGER NOT NULL,
      at INTEGER NOT NULL,
      body TEXT NOT NULL
    ) STRICT`,
  },
];
