import { EMAIL_STEPS } from "./emails/schema.ts";
import { UNUSUAL_STEPS } from "./unusual/schema.ts";
import { DIGEST_STEPS } from "./digests/schema.ts";
import { EXPORT_STEPS } from "./exports/schema.ts";
import { FALLBACK_STEPS } from "./fallbacks/schema.ts";
import { PROVIDER_KEY_STEPS } from "./provider-keys/schema.ts";
import { ADJUSTMENT_STEPS } from "./adjustments/schema.ts";
import { APPROVAL_STEPS } from "./approvals/schema.ts";
import { AUDIT_STEPS } from "./kernel/audit/schema.ts";
import { COUNTER_STEPS } from "./kernel/counters/schema.ts";
import { DUE_STEPS } from "./kernel/due/schema.ts";
import { EVENT_STEPS } from "./kernel/events/schema.ts";
import { GATE_STEPS } from "./leases/schema.ts";
import { HOLD_STEPS } from "./decisions/schema.ts";
import { IDEMPOTENCY_STEPS } from "./kernel/idempotency/schema.ts";
import { WAL_STEPS } from "../storage/schema.ts";
import { checkpointForUpgrade, hasOtherShapes, noteShapes } from "../storage/upgrade.ts";
import { KEY_STEPS } from "./keys/schema.ts";
import { isTable } from "../storage/tables.ts";
import { METER_STEPS } from "./meters/schema.ts";
import { MOVING_STEPS } from "./moving/schema.ts";
import { MODEL_STEPS } from "./models/schema.ts";
import { PEPPER_STEPS } from "./peppers/schema.ts";
import { POLICY_STEPS } from "./policy-rules/schema.ts";
import { PROFILE_STEPS } from "./orgs/schema.ts";
import { RATE_STEPS } from "./rate-limits/schema.ts";
import { BENCHMARK_STEPS } from "./benchmarks/schema.ts";
import { RESIDENCY_STEPS } from "./residency/schema.ts";
import { RUN_STEPS } from "./runs/schema.ts";
import { SAFETY_STEPS } from "./content-safety/schema.ts";
import { WEBHOOK_STEPS } from "./webhooks/schema.ts";
import { RETENTION_STEPS } from "./retention-policy/schema.ts";
import { ROUTING_STEPS } from "./routing/schema.ts";
import { PEOPLE_STEPS } from "./people/schema.ts";
import { SUPPORT_STEPS } from "./support/schema.ts";
import type { Steps } from "./backup/load.ts";
import { BACKUP_STEPS } from "./backup/schema.ts";
import { CUSTOMER_STEPS } from "./customers/schema.ts";
import { DEPRECATED_CALL_STEPS } from "./deprecated-calls/schema.ts";
import { REFUSAL_STEPS } from "./refusals/schema.ts";
import { STORED_BEFORE } from "../domain/tenant/stored-before.ts";

/**
 * One change to the tables of an object. Published steps never change: `test/contract/schema-steps.json` has a digest
 * of each, and `npm run freeze` adds new ones.
 */
interface SchemaStep {
  readonly name: string;
  readonly sql?: string;
  /** The steps that no statement can do. */
  readonly fill?: (sql: SqlStorage) => void;
}

/** The first step of every object since the first release. */
const BASELINE = "baseline";

/** An object that has no such step. Nothing in it is read or changed. */
export class StoredBefore extends Error {
  override readonly name = "StoredBefore";

  constructor() {
    super(STORED_BEFORE);
  }
}

/**
 * The steps by which an object makes its tables and changes them. New steps are appended to those of their noun. Steps
 * that add columns come early: with each, SQLite reads the definitions of all tables again.
 */
export const ORG_STEPS: readonly SchemaStep[] = Object.entries<string | Omit<SchemaStep, "name">>({
  [BASELINE]: {},
  ...DUE_STEPS,
  ...GATE_STEPS,
  ...WEBHOOK_STEPS,
  ...PROFILE_STEPS,
  ...KEY_STEPS,
  ...IDEMPOTENCY_STEPS,
  ...AUDIT_STEPS,
  ...EVENT_STEPS,
  ...COUNTER_STEPS,
  ...RESIDENCY_STEPS,
  ...RATE_STEPS,
  ...BENCHMARK_STEPS,
  ...METER_STEPS,
  ...MODEL_STEPS,
  ...HOLD_STEPS,
  ...RUN_STEPS,
  ...ADJUSTMENT_STEPS,
  ...POLICY_STEPS,
  ...APPROVAL_STEPS,
  ...SAFETY_STEPS,
  ...RETENTION_STEPS,
  ...ROUTING_STEPS,
  ...PEOPLE_STEPS,
  ...DEPRECATED_CALL_STEPS,
  ...SUPPORT_STEPS,
  ...REFUSAL_STEPS,
  ...CUSTOMER_STEPS,
  ...WAL_STEPS,
  ...BACKUP_STEPS,
  ...EXPORT_STEPS,
  ...PEPPER_STEPS,
  ...MOVING_STEPS,
  ...PROVIDER_KEY_STEPS,
  ...FALLBACK_STEPS,
  ...EMAIL_STEPS,
  ...UNUSUAL_STEPS,
  ...DIGEST_STEPS,
}).map(([name, step]) => ({ name, ...(typeof step === "string" ? { sql: step } : step) }));

export function isOpened(sql: SqlStorage): boolean {
  return isTable(sql, "schema_steps");
}

/** Applies the missing schema steps. Safe to repeat. True if there were any. */
export function applySchema(storage: DurableObjectStorage, steps = ORG_STEPS): boolean {
  return storage.transactionSync(() => {
    const { sql } = storage;
    const isNew = !isOpened(sql);
    if (isNew) makeSteps(sql);
    const applied = appliedSteps(sql);
    if (!isNew && !applied.has(BASELINE)) throw new StoredBefore();
    const missing = steps.filter(({ name }) => !applied.has(name));
    if (!isNew && (missing.length > 0 || hasOtherShapes(sql))) checkpointForUpgrade(sql);
    run(sql, missing);
    noteShapes(sql);
    return missing.length > 0;
  });
}

/** For an archive, which may be of an earlier version. Inside the caller's transaction. */
export function stepsOf(storage: DurableObjectStorage): Steps {
  const { sql } = storage;
  return {
    known: new Set(ORG_STEPS.map(({ name }) => name)),
    first: BASELINE,
    apply(names) {
      const chosen = new Set(names);
      makeSteps(sql);
      run(
        sql,
        ORG_STEPS.filter(({ name }) => chosen.has(name)),
      );
    },
    upgrade: () => void applySchema(storage),
  };
}

function makeSteps(sql: SqlStorage): void {
  sql.exec("CREATE TABLE schema_steps (name TEXT PRIMARY KEY) STRICT");
}

function appliedSteps(sql: SqlStorage): Set<string> {
  const rows = sql.exec<{ name: string }>("SELECT name FROM schema_steps").toArray();
  return new Set(rows.map(({ name }) => name));
}

function run(sql: SqlStorage, steps: readonly SchemaStep[]): void {
  for (const step of steps) {
    if (step.sql !== undefined) sql.exec(step.sql);
    step.fill?.(sql);
    sql.exec("INSERT INTO schema_steps (name) VALUES (?)", step.name);
  }
}
