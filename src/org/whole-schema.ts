/**
 * Written by `npm run generate` from the schema steps: what all of them make together. A new object runs this one text
 * in a quarter of the time.
 */
export const WHOLE_SCHEMA = `CREATE TABLE schema_steps (name TEXT PRIMARY KEY) STRICT;
CREATE TABLE profile (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      id TEXT NOT NULL,
      name TEXT NOT NULL,
      status TEXT NOT NULL,
      plan TEXT NOT NULL,
      environment TEXT NOT NULL,
      home_region TEXT NOT NULL,
      ip_allow_list TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      clock_offset_ms INTEGER NOT NULL DEFAULT 0
    , decision_defaults TEXT NOT NULL DEFAULT '{}') STRICT;
CREATE TABLE keys (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      role TEXT NOT NULL,
      scopes TEXT NOT NULL,
      digest TEXT NOT NULL,
      last4 TEXT NOT NULL,
      previous_digest TEXT,
      previous_expires_at INTEGER,
      not_before INTEGER,
      expires_at INTEGER,
      revoked_at INTEGER,
      created_at INTEGER NOT NULL
    , minted_by TEXT, pepper TEXT) STRICT;
CREATE TABLE previous_secrets (
      key_id TEXT NOT NULL,
      digest TEXT NOT NULL,
      expires_at INTEGER NOT NULL, pepper TEXT,
      PRIMARY KEY (key_id, digest)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE key_uses (
      key_id TEXT PRIMARY KEY,
      at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE TABLE idempotency (
      route TEXT NOT NULL,
      key TEXT NOT NULL,
      digest TEXT NOT NULL,
      fence INTEGER NOT NULL,
      seed TEXT NOT NULL,
      reserved_at INTEGER NOT NULL,
      status INTEGER,
      code TEXT,
      etag TEXT,
      sealed TEXT,
      PRIMARY KEY (route, key)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE idempotency_parts (
      route TEXT NOT NULL,
      key TEXT NOT NULL,
      part INTEGER NOT NULL,
      sealed TEXT NOT NULL,
      PRIMARY KEY (route, key, part)
    ) STRICT;
CREATE TABLE audit_ends (
      name TEXT PRIMARY KEY,
      seq INTEGER NOT NULL,
      hash TEXT NOT NULL,
      mac TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE TABLE "audit" (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  action TEXT NOT NULL,
  actor_kind TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  on_behalf_of TEXT,
  target TEXT,
  outcome TEXT NOT NULL,
  trace TEXT NOT NULL,
  address TEXT,
  detail TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE TABLE audit_pages (
      first INTEGER PRIMARY KEY,
      last INTEGER NOT NULL,
      at INTEGER NOT NULL,
      body TEXT NOT NULL
    ) STRICT;
CREATE TABLE "events" (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  data TEXT NOT NULL,
  parent TEXT
) STRICT;
CREATE TABLE event_pages (
      first INTEGER PRIMARY KEY,
      last INTEGER NOT NULL,
      at INTEGER NOT NULL,
      body TEXT NOT NULL
    ) STRICT;
CREATE TABLE due (
      kind TEXT NOT NULL,
      key TEXT NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (kind, key)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE counted (
      seq INTEGER NOT NULL,
      series TEXT NOT NULL,
      n INTEGER NOT NULL,
      PRIMARY KEY (seq, series)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE counter_batch (open INTEGER NOT NULL) STRICT;
CREATE TABLE residency (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      regions TEXT NOT NULL
    ) STRICT;
CREATE TABLE rate_limits (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      read_rpm INTEGER
    ) STRICT;
CREATE TABLE rate_policies (
      id TEXT PRIMARY KEY,
      position INTEGER NOT NULL,
      policy TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE TABLE rate_taken (
      meter TEXT NOT NULL,
      bucket INTEGER NOT NULL,
      amount INTEGER NOT NULL,
      PRIMARY KEY (meter, bucket)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE lease_holders (
      holder TEXT PRIMARY KEY,
      attempt INTEGER NOT NULL,
      batch INTEGER NOT NULL,
      asked_at INTEGER NOT NULL,
      slices TEXT NOT NULL
    , refusals INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
CREATE TABLE benchmark_profile (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      contributing INTEGER NOT NULL,
      counts_from TEXT NOT NULL
    ) STRICT;
CREATE TABLE meters (
      id TEXT PRIMARY KEY,
      kind TEXT NOT NULL,
      scope_kind TEXT NOT NULL,
      scope_id TEXT NOT NULL,
      amount TEXT,
      period TEXT NOT NULL,
      time_zone TEXT,
      mode TEXT NOT NULL,
      since INTEGER NOT NULL,
      extra TEXT NOT NULL
    , recounted_at INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
CREATE TABLE usage (
      meter_id TEXT NOT NULL,
      subject TEXT NOT NULL,
      window_start INTEGER NOT NULL,
      spent TEXT NOT NULL,
      over TEXT NOT NULL,
      held TEXT NOT NULL,
      leased TEXT NOT NULL,
      notices TEXT NOT NULL,
      PRIMARY KEY (meter_id, subject, window_start)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE models (
      model TEXT PRIMARY KEY,
      input_nanos_per_mtok TEXT NOT NULL,
      output_nanos_per_mtok TEXT NOT NULL,
      regions TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE TABLE price_revisions (
      revision INTEGER PRIMARY KEY,
      model TEXT NOT NULL,
      other_name TEXT,
      source TEXT NOT NULL,
      platform_revision INTEGER,
      effective_at INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      terms TEXT
    ) STRICT;
CREATE TABLE platform_book (revision INTEGER NOT NULL) STRICT;
CREATE TABLE holds (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL,
      digest TEXT NOT NULL,
      status TEXT NOT NULL,
      at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      ended_at INTEGER,
      amount TEXT NOT NULL,
      meters TEXT NOT NULL,
      customer_id TEXT,
      verdict TEXT NOT NULL
    , unreported INTEGER, rates TEXT, tokens INTEGER, beside TEXT, asked TEXT) STRICT;
CREATE TABLE unchecked_ids (until INTEGER NOT NULL) STRICT;
CREATE TABLE forgotten_holds (made_until INTEGER NOT NULL) STRICT;
CREATE TABLE undated_ids (until INTEGER NOT NULL) STRICT;
CREATE TABLE hold_pages (
      first INTEGER PRIMARY KEY,
      last INTEGER NOT NULL,
      first_expiry INTEGER,
      open INTEGER NOT NULL,
      held TEXT NOT NULL,
      unreported INTEGER NOT NULL,
      body TEXT NOT NULL
    ) STRICT;
CREATE TABLE hold_pages_from (seq INTEGER NOT NULL) STRICT;
CREATE TABLE hold_id_segments (
      segment INTEGER PRIMARY KEY,
      level INTEGER NOT NULL,
      first_seq INTEGER NOT NULL,
      last_seq INTEGER NOT NULL,
      state TEXT NOT NULL,
      step INTEGER NOT NULL
    ) STRICT;
CREATE TABLE hold_id_blocks (
      place INTEGER PRIMARY KEY,
      filter BLOB NOT NULL,
      entries BLOB NOT NULL
    ) STRICT;
CREATE TABLE hold_id_block_parts (
      place INTEGER NOT NULL,
      part INTEGER NOT NULL,
      entries BLOB NOT NULL,
      PRIMARY KEY (place, part)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE runs (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL,
      started_at INTEGER NOT NULL,
      charged_at INTEGER NOT NULL,
      recorded_at INTEGER NOT NULL,
      chain_id TEXT,
      cost INTEGER NOT NULL,
      data TEXT NOT NULL
    ) STRICT;
CREATE TABLE usage_daily (
      day TEXT NOT NULL,
      scope_kind TEXT NOT NULL,
      scope_id TEXT NOT NULL,
      usd TEXT NOT NULL,
      runs INTEGER NOT NULL,
      tokens INTEGER NOT NULL, counts TEXT,
      PRIMARY KEY (scope_kind, scope_id, day)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE run_id_segments (
      segment INTEGER PRIMARY KEY,
      level INTEGER NOT NULL,
      first_seq INTEGER NOT NULL,
      last_seq INTEGER NOT NULL,
      state TEXT NOT NULL,
      step INTEGER NOT NULL
    ) STRICT;
CREATE TABLE run_id_blocks (
      place INTEGER PRIMARY KEY,
      filter BLOB NOT NULL,
      entries BLOB NOT NULL
    ) STRICT;
CREATE TABLE run_metadata (
      run_id TEXT NOT NULL,
      part INTEGER NOT NULL,
      text TEXT NOT NULL,
      PRIMARY KEY (run_id, part)
    ) STRICT;
CREATE TABLE run_blocks (
      first_seq INTEGER PRIMARY KEY,
      state TEXT NOT NULL,
      runs INTEGER NOT NULL,
      started_min INTEGER NOT NULL,
      started_max INTEGER NOT NULL,
      recorded_min INTEGER NOT NULL,
      recorded_max INTEGER NOT NULL,
      cost_min TEXT NOT NULL,
      cost_max TEXT NOT NULL,
      names BLOB NOT NULL,
      data BLOB NOT NULL
    ) STRICT;
CREATE TABLE run_id_key (
      one INTEGER PRIMARY KEY,
      first INTEGER NOT NULL,
      second INTEGER NOT NULL
    ) STRICT;
CREATE TABLE run_id_block_parts (
      place INTEGER NOT NULL,
      part INTEGER NOT NULL,
      entries BLOB NOT NULL,
      PRIMARY KEY (place, part)
    ) STRICT;
CREATE TABLE replaced_runs (
      run_id TEXT PRIMARY KEY,
      by_run_id TEXT NOT NULL,
      at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE TABLE run_tag_names (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE run_files (
      first_seq INTEGER PRIMARY KEY,
      state TEXT NOT NULL,
      name TEXT NOT NULL,
      runs INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      blocks_at INTEGER NOT NULL,
      started_min INTEGER NOT NULL,
      started_max INTEGER NOT NULL,
      recorded_min INTEGER NOT NULL,
      recorded_max INTEGER NOT NULL,
      cost TEXT NOT NULL,
      input_tokens INTEGER NOT NULL,
      output_tokens INTEGER NOT NULL,
      groups BLOB NOT NULL
    ) STRICT;
CREATE TABLE run_file_indexes (
      first_seq INTEGER PRIMARY KEY,
      names BLOB NOT NULL,
      ids BLOB NOT NULL
    ) STRICT;
CREATE TABLE run_archive (
      one INTEGER PRIMARY KEY,
      last_seq INTEGER NOT NULL
    , place TEXT) STRICT;
CREATE TABLE run_replacements (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      run_id TEXT NOT NULL,
      by_run_id TEXT NOT NULL,
      at INTEGER NOT NULL,
      started_at INTEGER NOT NULL,
      cost TEXT NOT NULL,
      names TEXT NOT NULL
    ) STRICT;
CREATE TABLE run_id_filters (
      segment INTEGER NOT NULL,
      part INTEGER NOT NULL,
      first_seq INTEGER NOT NULL,
      last_seq INTEGER NOT NULL,
      filter BLOB NOT NULL,
      PRIMARY KEY (segment, part)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE run_adjustments (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL,
      run_id TEXT NOT NULL,
      at INTEGER NOT NULL,
      amount TEXT NOT NULL,
      charges TEXT NOT NULL,
      data TEXT NOT NULL
    ) STRICT;
CREATE TABLE policy_rules (
      id TEXT PRIMARY KEY,
      target TEXT NOT NULL,
      effect TEXT NOT NULL,
      "when" TEXT NOT NULL,
      reason TEXT NOT NULL,
      priority INTEGER NOT NULL,
      mode TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
CREATE TABLE compiled_versions (name TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE approvals (
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
      used_at INTEGER
    , note TEXT) STRICT;
CREATE TABLE content_safety (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      detectors TEXT NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
CREATE TABLE webhook_subscriptions (
      id TEXT PRIMARY KEY,
      url TEXT NOT NULL,
      events TEXT NOT NULL,
      description TEXT,
      disabled_reason TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
CREATE TABLE webhook_secrets (
      seq INTEGER PRIMARY KEY,
      owner TEXT NOT NULL,
      sealed TEXT NOT NULL,
      last4 TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER
    ) STRICT;
CREATE TABLE webhook_deliveries (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      subscription_id TEXT NOT NULL,
      event_id TEXT NOT NULL,
      event_type TEXT NOT NULL,
      status TEXT NOT NULL,
      attempts INTEGER NOT NULL,
      next_attempt_at INTEGER,
      attempt_log TEXT NOT NULL,
      replay_of TEXT,
      created_at INTEGER NOT NULL,
      completed_at INTEGER
    ) STRICT;
CREATE TABLE webhook_fan_outs (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      subscription_id TEXT NOT NULL,
      event_type TEXT NOT NULL,
      first_event INTEGER NOT NULL,
      last_event INTEGER NOT NULL
    ) STRICT;
CREATE TABLE retention_policy (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      runs_days INTEGER NOT NULL,
      audit_days INTEGER NOT NULL,
      deliveries_days INTEGER NOT NULL,
      legal_hold INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
CREATE TABLE purged_runs (
      quarter INTEGER NOT NULL,
      id INTEGER NOT NULL,
      rest BLOB NOT NULL,
      said BLOB NOT NULL,
      recorded_at INTEGER NOT NULL,
      charged_after INTEGER NOT NULL,
      depth INTEGER NOT NULL,
      cost INTEGER NOT NULL,
      PRIMARY KEY (quarter, id, rest)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE routing_policy (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      policy TEXT NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
CREATE TABLE evals (
      id TEXT PRIMARY KEY DEFAULT (lower(hex(randomblob(16)))),
      suite TEXT NOT NULL,
      model TEXT NOT NULL,
      score REAL NOT NULL,
      samples INTEGER NOT NULL,
      run_at INTEGER NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT;
CREATE TABLE sessions (
      id TEXT PRIMARY KEY,
      digest TEXT NOT NULL UNIQUE,
      provider TEXT NOT NULL,
      subject TEXT NOT NULL,
      name TEXT NOT NULL,
      email TEXT,
      role TEXT NOT NULL,
      address TEXT,
      created_at INTEGER NOT NULL,
      last_seen_at INTEGER NOT NULL,
      revoked_at INTEGER
    , key_id TEXT, key_digest TEXT) STRICT;
CREATE TABLE sso (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      kind TEXT NOT NULL,
      sealed TEXT NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
CREATE TABLE sign_in_attempts (
      digest TEXT PRIMARY KEY,
      browser TEXT NOT NULL,
      sealed TEXT NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT;
CREATE TABLE spent_sign_in_links (digest TEXT PRIMARY KEY, spent_at INTEGER NOT NULL) STRICT;
CREATE TABLE console_links (
      digest TEXT PRIMARY KEY,
      key_id TEXT,
      key_digest TEXT,
      provider TEXT NOT NULL,
      subject TEXT NOT NULL,
      name TEXT NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT;
CREATE TABLE deprecated_calls (
      method TEXT NOT NULL,
      route TEXT NOT NULL,
      caller TEXT NOT NULL,
      calls INTEGER NOT NULL,
      last_at INTEGER NOT NULL,
      PRIMARY KEY (method, route, caller)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE support_grants (
      id TEXT PRIMARY KEY,
      scope TEXT NOT NULL,
      reason TEXT NOT NULL,
      opened_by TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      closed_at INTEGER,
      last_used_at INTEGER
    ) STRICT;
CREATE TABLE support_sessions (
      digest TEXT PRIMARY KEY,
      id TEXT NOT NULL,
      grant_id TEXT NOT NULL REFERENCES support_grants (id),
      operator TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT;
CREATE TABLE refusal_batches (
      seq INTEGER PRIMARY KEY,
      first_at INTEGER NOT NULL,
      notes INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      body TEXT NOT NULL
    ) STRICT;
CREATE TABLE refusal_hours (
      hour INTEGER NOT NULL,
      part INTEGER NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (hour, part)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE refusal_fold (folded INTEGER NOT NULL) STRICT;
CREATE TABLE customer_tokens (
      digest TEXT PRIMARY KEY,
      id TEXT NOT NULL,
      customer_id TEXT NOT NULL,
      minted_by TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT;
CREATE TABLE journal (
      slot INTEGER PRIMARY KEY,
      seq INTEGER NOT NULL,
      body TEXT NOT NULL
    ) STRICT;
CREATE TABLE backup_frames (n INTEGER PRIMARY KEY, archive TEXT NOT NULL, frame BLOB NOT NULL) STRICT;
CREATE TABLE imported_archives (id TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE exports (
      name TEXT PRIMARY KEY,
      format TEXT NOT NULL,
      focus_version TEXT,
      every TEXT NOT NULL,
      destination TEXT NOT NULL,
      sealed TEXT,
      change INTEGER NOT NULL,
      next_from INTEGER NOT NULL,
      run_from INTEGER NOT NULL,
      adjustment_from INTEGER NOT NULL,
      replacement_from INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE TABLE export_windows (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      export TEXT NOT NULL,
      folder TEXT NOT NULL,
      from_at INTEGER NOT NULL,
      to_at INTEGER NOT NULL,
      first_run INTEGER NOT NULL,
      first_adjustment INTEGER NOT NULL,
      first_replacement INTEGER NOT NULL,
      run_from INTEGER NOT NULL,
      run_to INTEGER NOT NULL,
      adjustment_from INTEGER NOT NULL,
      adjustment_to INTEGER NOT NULL,
      replacement_from INTEGER NOT NULL,
      replacement_to INTEGER NOT NULL,
      files INTEGER NOT NULL,
      rows INTEGER NOT NULL,
      cost TEXT NOT NULL,
      attempts INTEGER NOT NULL,
      error TEXT,
      next_attempt_at INTEGER,
      written_at INTEGER
    ) STRICT;
CREATE TABLE export_files (
      window INTEGER NOT NULL,
      file INTEGER NOT NULL,
      data TEXT NOT NULL,
      PRIMARY KEY (window, file)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE pepper_state (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      mark TEXT NOT NULL,
      since INTEGER NOT NULL,
      sealed TEXT NOT NULL
    ) STRICT;
CREATE TABLE moving (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      id TEXT NOT NULL,
      to_region TEXT NOT NULL,
      archive TEXT,
      attempt TEXT,
      frozen_at INTEGER NOT NULL,
      until INTEGER NOT NULL
    , is_archive_copied INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX keys_minted_by ON keys (minted_by) WHERE minted_by IS NOT NULL;
CREATE INDEX idempotency_age ON idempotency (reserved_at);
CREATE INDEX due_at ON due (at);
CREATE INDEX meters_scope ON meters (scope_kind, scope_id);
CREATE INDEX meters_kind ON meters (kind, since);
CREATE INDEX price_revisions_model ON price_revisions (model);
CREATE INDEX price_revisions_other_name ON price_revisions (other_name) WHERE other_name IS NOT NULL;
CREATE VIEW priced_models AS SELECT model, created_at FROM models
      UNION ALL SELECT model, created_at FROM price_revisions AS p
        WHERE source = 'platform' AND terms IS NOT NULL AND model NOT IN (SELECT model FROM models)
          AND NOT EXISTS (SELECT 1 FROM price_revisions AS later
            WHERE later.model = p.model AND later.source = 'platform' AND later.revision > p.revision);
CREATE INDEX holds_name ON holds (substr(id, 25));
CREATE INDEX holds_open ON holds (expires_at) WHERE status = 'open';
CREATE INDEX holds_unreported ON holds (seq) WHERE unreported IS NOT NULL;
CREATE INDEX hold_pages_open ON hold_pages (first_expiry) WHERE first_expiry IS NOT NULL;
CREATE INDEX hold_pages_unreported ON hold_pages (first) WHERE unreported > 0;
CREATE INDEX runs_chain ON runs (chain_id, started_at) WHERE chain_id IS NOT NULL;
CREATE VIEW run_rows AS SELECT seq, id, started_at, charged_at, recorded_at, chain_id, cost,
      data ->> 0 AS model, data ->> 1 AS action, data ->> 2 AS workflow_id, data ->> 3 AS deployment_id,
      data ->> 4 AS department_id, data ->> 5 AS customer_id, data ->> 6 AS input_tokens,
      data ->> 7 AS output_tokens, data ->> 8 AS charges, data FROM runs;
CREATE INDEX runs_started ON runs (started_at / 1000);
CREATE INDEX run_files_unmade ON run_files (state) WHERE state <> 'made';
CREATE INDEX run_adjustments_run ON run_adjustments (run_id, seq);
CREATE INDEX approvals_attempt ON approvals (rule_id, digest, status);
CREATE INDEX approvals_requested ON approvals (requested_at, id);
CREATE INDEX webhook_secrets_owner ON webhook_secrets (owner, seq);
CREATE INDEX webhook_deliveries_queue ON webhook_deliveries (subscription_id, seq) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_log ON webhook_deliveries (subscription_id, seq);
CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event_id);
CREATE INDEX evals_latest ON evals (suite, model, run_at);
CREATE INDEX sessions_created_at ON sessions (created_at, id);
CREATE INDEX support_grants_created_at ON support_grants (created_at, id);
CREATE INDEX customer_tokens_expiry ON customer_tokens (expires_at);
CREATE INDEX export_windows_export ON export_windows (export, from_at, folder);
INSERT INTO schema_steps (name) VALUES ('profile/1'), ('profile/2'), ('keys/1'), ('keys/2'), ('keys/3'), ('keys/4'), ('idempotency/1'), ('idempotency/2'), ('audit/1'), ('audit/2'), ('audit/3'), ('audit/4'), ('events/1'), ('events/2'), ('events/3'), ('events/4'), ('due/1'), ('counters/1'), ('residency/1'), ('rates/1'), ('gate/1'), ('gate/2'), ('gate/3'), ('benchmarks/1'), ('meters/1'), ('meters/2'), ('models/1'), ('models/2'), ('models/3'), ('holds/1'), ('holds/2'), ('holds/3'), ('holds/4'), ('holds/5'), ('holds/6'), ('holds/7'), ('holds/8'), ('holds/9'), ('holds/10'), ('holds/11'), ('runs/1'), ('runs/1/repack'), ('runs/2'), ('runs/3'), ('runs/4'), ('runs/5'), ('runs/6'), ('runs/7'), ('runs/8'), ('runs/9'), ('runs/replacements'), ('runs/daily-counts'), ('runs/filters'), ('runs/archive-place'), ('adjustments/1'), ('policies/1'), ('approvals/1'), ('approvals/2'), ('safety/1'), ('webhooks/1'), ('webhooks/2'), ('retention/1'), ('retention/2'), ('routing/1'), ('people/1'), ('people/2'), ('deprecated-calls/1'), ('support/1'), ('refusals/1'), ('customers/1'), ('journal/1'), ('backup/1'), ('exports/1'), ('peppers/1'), ('moving/1'), ('moving/2');
INSERT INTO counter_batch (open) VALUES (1);
INSERT INTO forgotten_holds (made_until) VALUES (0);
INSERT INTO hold_pages_from (seq) VALUES (0);
INSERT INTO refusal_fold (folded) VALUES (0)`;
