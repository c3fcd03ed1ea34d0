ALTER TABLE plans ADD COLUMN alert_thresholds TEXT DEFAULT '[]' NOT NULL;
