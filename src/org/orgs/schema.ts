/** `decision_defaults` is JSON. A setting that it does not mention has the default. */
export const PROFILE_STEPS = {
  "profile/1": `CREATE TABLE profile (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      id TEXT NOT NULL,
      name TEXT NOT NULL,
      status TEXT NOT NULL,
      plan TEXT NOT NULL,
      environment TEXT NOT NULL,
      home_region TEXT NOT NULL,
      ip_allow_list TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      clock_offset_ms INTEGER NOT NULL DEFAULT 0,
      decision_defaults TEXT NOT NULL DEFAULT '{}'
    ) STRICT`,
};
