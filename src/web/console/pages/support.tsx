import type { Resource } from "../page/resource.ts";
import type { SupportGrant } from "../../../contract/resources/support.ts";
import { formatMoment } from "../view/format.ts";
import { Status } from "../view/parts.tsx";

export const support: Resource<SupportGrant> = {
  path: "/console/support",
  api: "support-grants",
  title: "Support access",
  about:
    "Gives our support team read-only access for a stated reason and a limited time. Every request they make is in your audit trail, including refused ones.",
  one: "grant",
  icon: "support",
  empty: ["Support has no access", "Open a grant when you ask for help. It expires by itself."],
  role: "owner",
  idOf: ({ id }) => id,
  nameOf: ({ reason }) => reason,
  subOf: ({ id }) => <code>{id}</code>,
  columns: [
    { title: "May read", cell: ({ scope }) => scope.replaceAll("_", " ") },
    { title: "State", cell: ({ status }) => <Status is={status} /> },
    { title: "Opened", kind: "moment", cell: (grant) => formatMoment(grant.created_at) },
    { title: "Ends", kind: "moment", cell: (grant) => formatMoment(grant.expires_at) },
    {
      title: "Last used",
      kind: "moment",
      cell: (grant) => (grant.last_used_at ? formatMoment(grant.last_used_at) : "Never"),
    },
  ],
  create: {
    title: "Open a grant",
    save: "Open grant",
    fields: [
      {
        name: "reason",
        label: "Reason",
        kind: "text",
        required: true,
        placeholder: "Ticket 4411: a run was charged twice",
      },
      {
        name: "scope",
        label: "May read",
        kind: "choice",
        half: true,
        hint: "The scope is fixed. For more access, open another grant.",
        options: [
          ["runs_debug", "Runs and what decided them"],
          ["billing_read", "Spending and limits"],
          ["read_only", "Everything a viewer reads"],
        ],
      },
      {
        name: "expires_in_seconds",
        label: "For",
        kind: "integer",
        half: true,
        required: true,
        options: [
          ["3600", "1 hour"],
          ["14400", "4 hours"],
          ["86400", "1 day"],
          ["604800", "1 week"],
        ],
      },
    ],
  },
  actions: [
    {
      name: "close",
      label: "End",
      method: "DELETE",
      api: "",
      inList: true,
      isFor: ({ status }) => status === "active",
      confirm: () => "Support loses access immediately. To restore it, open another grant.",
      notice: "closed",
    },
  ],
};
