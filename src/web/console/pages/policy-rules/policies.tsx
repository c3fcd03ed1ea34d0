import { policyTest } from "./policy-test.tsx";
import { DELETE, type Resource } from "../../page/resource.ts";
import type { PolicyRuleResource } from "../../../../contract/resources/policy-rules.ts";
import type { Field } from "../../view/field.ts";
import { Status } from "../../view/parts.tsx";

const FIELDS: readonly Field[] = [
  {
    name: "when",
    label: "When",
    kind: "area",
    required: true,
    hint: 'CEL over run, model, action, customer_id, estimate and now, such as model.startsWith("acme/").',
  },
  {
    name: "target",
    label: "Target",
    kind: "choice",
    half: true,
    options: [
      ["model", "Model"],
      ["action", "Action"],
    ],
  },
  {
    name: "effect",
    label: "Effect",
    kind: "choice",
    half: true,
    options: [
      ["deny", "Deny"],
      ["require_approval", "Require approval"],
      ["allow", "Allow"],
    ],
  },
  {
    name: "reason",
    label: "Reason",
    kind: "text",
    required: true,
    hint: "Returned to the caller whose run is refused.",
  },
  { name: "priority", label: "Priority", kind: "integer", required: true, half: true, placeholder: "100" },
  {
    name: "mode",
    label: "Mode",
    kind: "choice",
    half: true,
    options: [
      ["enforce", "Enforce"],
      ["shadow", "Shadow: report only"],
    ],
  },
];

export const policies: Resource<PolicyRuleResource> = {
  path: "/console/policies",
  api: "policy-rules",
  title: "Policies",
  about:
    "Rules on models and actions. Deny takes precedence over require approval, which takes precedence over allow. A run that matches no rule is allowed.",
  one: "rule",
  icon: "policies",
  empty: [
    "No rules yet",
    <>
      A rule is a condition in CEL, such as <code>model.startsWith("acme/")</code>, and an effect. Start in
      shadow mode to see what the rule would do.
    </>,
  ],
  role: "admin",
  idOf: ({ id }) => id,
  nameOf: ({ reason }) => reason,
  subOf: ({ when, target }) => (
    <>
      Applies to the {target} when <code>{when}</code>
    </>
  ),
  columns: [
    { title: "Priority", kind: "number", cell: ({ priority }) => priority },
    { title: "Effect", cell: ({ effect }) => <Status is={effect} /> },
    { title: "Mode", cell: ({ mode }) => <Status is={mode} /> },
  ],
  sort: "-priority",
  create: { title: "New rule", save: "Create rule", fields: FIELDS },
  change: { method: "PATCH", fields: FIELDS },
  actions: [{ ...DELETE, confirm: () => "Runs that only this rule blocked are allowed from now on." }],
  belowList: policyTest,
};
