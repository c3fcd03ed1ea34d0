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
  overage_policy TEXT NOT NULL,
  alert_thresholds TEXT DEFAULT '[]' NOT NULL
);
INSERT INTO plans (plan, runs_limit, tokens_limit, overage_policy) VALUES ('standard', NULL, NULL, 'allow');

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
  kind TEXT NOT NULL,
  "match" TEXT NOT NULL
);
CREATE INDEX rate_limit_policies_org ON rate_limit_policies (org_id, position);

-- Cohorts, who was in them in which months, what orgs contribute, and every answer ever given.
CREATE TABLE cohorts (
  id TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  metric TEXT NOT NULL,
  environment TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  first_read_at INTEGER
);

CREATE TABLE cohort_members (
  cohort_id TEXT NOT NULL,
  org_id TEXT NOT NULL,
  from_month TEXT NOT NULL,
  until_month TEXT,
  PRIMARY KEY (cohort_id, org_id, from_month)
);
CREATE INDEX cohort_members_org ON cohort_members (org_id);

CREATE TABLE benchmark_contributors (
  org_id TEXT NOT NULL,
  from_month TEXT NOT NULL,
  until_month TEXT,
  PRIMARY KEY (org_id, from_month)
);

CREATE TABLE benchmark_figures (
  org_id TEXT NOT NULL,
  month TEXT NOT NULL,
  runs INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  cost_nano TEXT NOT NULL,
  days INTEGER NOT NULL,
  PRIMARY KEY (org_id, month)
);

CREATE TABLE cohort_answers (
  cohort_id TEXT NOT NULL,
  month TEXT NOT NULL,
  metric TEXT NOT NULL,
  figures_month TEXT NOT NULL,
  size INTEGER NOT NULL,
  p25 REAL NOT NULL,
  p50 REAL NOT NULL,
  p75 REAL NOT NULL,
  seal TEXT NOT NULL,
  PRIMARY KEY (cohort_id, month)
);
CREATE INDEX cohort_answers_metric ON cohort_answers (metric);

CREATE TABLE cohort_answer_members (
  cohort_id TEXT NOT NULL,
  month TEXT NOT NULL,
  org_id TEXT NOT NULL,
  PRIMARY KEY (cohort_id, month, org_id)
);

CREATE TABLE support_grants (
  grant_id TEXT PRIMARY KEY NOT NULL,
  org_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE INDEX support_grants_expires_at ON support_grants (expires_at);

-- The platform's own prices: a row for each price that a revision changed, no row text where it took one away. What a revision
-- knows of providers is JSON.
CREATE TABLE price_book (
  revision INTEGER PRIMARY KEY NOT NULL,
  created_at INTEGER NOT NULL,
  providers TEXT DEFAULT '[]' NOT NULL
);

CREATE TABLE price_book_prices (
  model TEXT NOT NULL,
  revision INTEGER NOT NULL,
  price TEXT,
  PRIMARY KEY (model, revision)
);

-- Orgs whose objects keep prices of the book: they are told when it changes.
CREATE TABLE price_book_readers (
  org_id TEXT PRIMARY KEY NOT NULL
);

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

-- Who is signed in to the operator console. A session that is not here has ended.
CREATE TABLE operator_sessions (
  id TEXT PRIMARY KEY NOT NULL,
  started_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  address TEXT NOT NULL
);
