CREATE TABLE org_rate_limits (
  org_id TEXT PRIMARY KEY NOT NULL,
  read_rpm INTEGER
);

CREATE TABLE rate_limit_policies (
  id TEXT PRIMARY KEY NOT NULL,
  org_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  route TEXT,
  key_id TEXT,
  customer_id TEXT,
  unit TEXT NOT NULL,
  "limit" INTEGER NOT NULL,
  window_seconds INTEGER NOT NULL,
  kind TEXT NOT NULL
);
CREATE INDEX rate_limit_policies_org ON rate_limit_policies (org_id, position);
