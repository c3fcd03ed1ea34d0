import { saveRow } from "../../storage/rows.ts";
import { DUE } from "../kernel/due-kinds.ts";
import { RETENTION_DEFAULT, type RetentionPolicy } from "../../domain/run/retention.ts";
import type { RetentionPolicyResource } from "../../contract/resources/retention-policy.ts";
import { command, done, query, type View } from "../kernel/door.ts";

type Row = {
  runs_days: number;
  audit_days: number;
  deliveries_days: number;
  legal_hold: number;
  updated_at: number;
};

export function loadRetention(sql: SqlStorage): RetentionPolicy & { updatedAt: number | null } {
  const row = sql.exec<Row>("SELECT * FROM retention_policy").toArray()[0];
  if (row === undefined) return { ...RETENTION_DEFAULT, updatedAt: null };
  return {
    runsDays: row.runs_days,
    auditDays: row.audit_days,
    deliveriesDays: row.deliveries_days,
    legalHold: row.legal_hold === 1,
    updatedAt: row.updated_at,
  };
}

function current(view: View): RetentionPolicyResource {
  const policy = loadRetention(view.sql);
  return {
    runs_days: policy.runsDays,
    audit_days: policy.auditDays,
    deliveries_days: policy.deliveriesDays,
    legal_hold: policy.legalHold,
    updated_at: policy.updatedAt === null ? null : new Date(policy.updatedAt).toISOString(),
  };
}

export const getRetentionPolicy = query({ refuses: [], run: current });

type NewPolicy = Omit<RetentionPolicy, "legalHold"> & { readonly legalHold: boolean | undefined };

/** A legal hold that is not mentioned stays as it is, so that a change of days never lifts it by accident. */
export const setRetentionPolicy = command({
  action: "retention_policy.updated",
  refuses: ["conflict"],
  current: (view, _input: NewPolicy) => current(view),
  run(tx, input: NewPolicy) {
    const legalHold = input.legalHold ?? loadRetention(tx.sql).legalHold;
    const row: Row = {
      runs_days: input.runsDays,
      audit_days: input.auditDays,
      deliveries_days: input.deliveriesDays,
      legal_hold: legalHold ? 1 : 0,
      updated_at: tx.now,
    };
    saveRow(tx.sql, "retention_policy", { one: 1, ...row });
    tx.schedule(DUE.retentionSweep, "all", tx.now);
    const { updated_at: _, ...detail } = current(tx);
    return done(200, current(tx), { target: tx.orgId, detail });
  },
});
