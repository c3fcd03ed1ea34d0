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
