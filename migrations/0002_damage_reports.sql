CREATE TABLE damage_reports (
  org_id TEXT NOT NULL,
  part TEXT NOT NULL,
  file TEXT,
  reported_at INTEGER NOT NULL,
  PRIMARY KEY (org_id, part)
);
CREATE INDEX damage_reports_reported_at ON damage_reports (reported_at);
