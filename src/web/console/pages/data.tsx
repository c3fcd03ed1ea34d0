import { RETENTION_BOUNDS } from "../../../contract/lists.ts";
import type { Residency } from "../../../contract/resources/residency.ts";
import type { RetentionPolicyResource } from "../../../contract/resources/retention-policy.ts";
import type { Setting, SettingsPage } from "../page/settings.tsx";
import type { Field } from "../view/field.ts";
import { moment } from "../view/format.ts";
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
  save: "Save the retention",
  noteOf: (found) => (found?.updated_at ? `Changed ${moment(found.updated_at)}` : "As delivered"),
  fieldsOf: () => [
    days("runs_days", "Runs", RETENTION_BOUNDS.runsDays),
    days("audit_days", "Audit trail", RETENTION_BOUNDS.auditDays),
    days("deliveries_days", "Webhook deliveries", RETENTION_BOUNDS.deliveriesDays),
    {
      name: "legal_hold",
      label: "Legal hold",
      kind: "flag",
      hint: "While it is on, nothing is deleted, however old.",
    },
  ],
};

const residency: Setting<Residency> = {
  name: "residency",
  title: "Residency",
  api: "residency",
  method: "PUT",
  role: "owner",
  save: "Save the regions",
  above: (found) => found && <Facts of={[["Home region, for ever", found.home_region]]} />,
  fieldsOf: () => [
    {
      name: "regions",
      label: "Regions that may serve you",
      kind: "list",
      whenEmpty: null,
      placeholder: "eu",
      hint: "Left empty: all. A call that arrives elsewhere is refused, never sent round.",
    },
  ],
};

export const data: SettingsPage = {
  path: DATA_PATH,
  title: "Data",
  about:
    "For how long records are kept, and where your calls may be served. Totals and money are kept in any case.",
  settings: [retention, residency],
};
