/** Events are many to a row, as JSON, in the order of the columns of the log. */
export const EVENT_STEPS = {
  "events/1": `CREATE TABLE event_pages (
      first INTEGER PRIMARY KEY,
      last INTEGER NOT NULL,
      at INTEGER NOT NULL,
      body TEXT NOT NULL
    ) STRICT`,
};
