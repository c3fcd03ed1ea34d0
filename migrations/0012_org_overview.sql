-- What each org's object last told of itself, for the operator's overview. Amounts are digits of equal length, so that they
-- sort like numbers.
CREATE TABLE org_overview (
  org_id TEXT PRIMARY KEY NOT NULL,
  month_ends_at INTEGER NOT NULL,
  spent TEXT NOT NULL,
  runs_used INTEGER NOT NULL,
  runs_limit INTEGER,
  tokens_used INTEGER NOT NULL,
  tokens_limit INTEGER,
  last_call_at INTEGER,
  failing_webhooks INTEGER NOT NULL,
  deprecated_callers INTEGER NOT NULL,
  open_support_grants INTEGER NOT NULL,
  told_at INTEGER NOT NULL
);
