/** `note` is what whoever decided wrote about it. */
export const APPROVAL_STEPS = {
  "approvals/1": `CREATE TABLE approvals (
      id TEXT PRIMARY KEY,
      rule_id TEXT NOT NULL,
      digest TEXT NOT NULL,
      status TEXT NOT NULL,
      reason TEXT NOT NULL,
      attempted TEXT NOT NULL,
      attempt TEXT NOT NULL,
      requested_by TEXT NOT NULL,
      requested_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      decided_by TEXT,
      decided_at INTEGER,
      used_at INTEGER,
      note TEXT
    ) STRICT;
    CREATE INDEX approvals_attempt ON approvals (rule_id, digest, status);
    CREATE INDEX approvals_requested ON approvals (requested_at, id)`,
};
