CREATE TABLE orgs (
  id TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  plan TEXT NOT NULL,
  environment TEXT NOT NULL,
  home_region TEXT NOT NULL,
  ip_allow_list TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX orgs_created_at ON orgs (created_at, id);

CREATE TABLE plans (
  plan TEXT PRIMARY KEY NOT NULL,
  runs_limit INTEGER,
  tokens_limit INTEGER,
  overage_policy TEXT NOT NULL
);
INSERT INTO plans (plan, runs_limit, tokens_limit, overage_policy) VALUES ('standard', NULL, NULL, 'allow');
