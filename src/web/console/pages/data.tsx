import { RETENTION_BOUNDS } from "../../../contract/lists.ts";
import type { Residency } from "../../../contract/resources/residency.ts";
import type { RetentionPolicyResource } from "../../../contract/resources/retention-policy.ts";
import type { Setting, SettingsPage } from "../page/settings.tsx";
import type { Field } from "../view/field.ts";
import { formatMoment } from "../view/format.ts";
import { Facts } from "../view/parts.tsx";

export const DATA_PATH = "/console/data";

const days = (name: string, label: string, { min, max }: { min: number; max: number }): Field => ({
  name,
  label,
  kind: "integer",
  required: true,
  half: true,
  hint: `Days, ${min} to ${max}.`,
});

const retention: Setting<RetentionPolicyResource> = {
  name: "retention",
  title: "Retention",
  api: "retention-policy",
  method: "PUT",
  role: "admin",
  save: "Save retention",
  noteOf: (found) => (found?.updated_at ? `Changed ${formatMoment(found.updated_at)}` : "Default"),
  fieldsOf: () => [
    days("runs_days", "Runs", RETENTION_BOUNDS.runsDays),
    days("audit_days", "Audit trail", RETENTION_BOUNDS.auditDays),
    days("deliveries_days", "Webhook deliveries", RETENTION_BOUNDS.deliveriesDays),
    {
      name: "legal_hold",
      label: "Legal hold",
      kind: "flag",
      hint: "While this is on, nothing is deleted.",
    },
  ],
};

const residency: Setting<Residency> = {
  name: "residency",
  title: "Residency",
  api: "residency",
  method: "PUT",
  role: "owner",
  save: "Save regions",
  above: (found) => found && <Facts of={[["Home region", found.home_region]]} />,
  fieldsOf: () => [
    {
      name: "regions",
      label: "Allowed regions",
      kind: "list",
      whenEmpty: null,
      placeholder: "eu",
      hint: "Leave empty to allow all regions. Calls that arrive in any other region are refused, not forwarded.",
    },
  ],
};

export const data: SettingsPage = {
  path: DATA_PATH,
  title: "Data",
  about:
    "How long records are kept, and which regions may serve your calls. Totals and balances are always kept.",
  settings: [retention, residency],
};
