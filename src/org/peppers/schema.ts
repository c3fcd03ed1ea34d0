export const PEPPER_STEPS = {
  // The pepper that the org works with, since when, and the key that its reservations are named with, encrypted.
  "peppers/1": `CREATE TABLE pepper_state (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      mark TEXT NOT NULL,
      since INTEGER NOT NULL,
      sealed TEXT NOT NULL
    ) STRICT`,
};
