import type { SchemaStep } from "../../../storage/schema-step.ts";

/** Events are many to a row, as JSON, in the order of the columns of the log. */
export const EVENT_STEPS: readonly SchemaStep[] = [
  {
    name: "events/1",
    sql: `CREATE TABLE event_pages (
      first INTEGER PRIMARY KEY,
      last INTEGER NOT NULL,
      at INTEGER NOT NULL,
      body TEXT NOT NULL
    ) STRICT`,
  },
];
