import type { Resource } from "../page/resource.ts";
import type { SupportGrant } from "../../../contract/resources/support.ts";
import { moment } from "../view/format.ts";
import { Status } from "../view/parts.tsx";

export const support: Resource<SupportGrant> = {
  path: "/console/support",
  api: "support-grants",
  title: "Support access",
  about:
    "Lets our support in, for a reason, for a time, and to read only. Every request of theirs is in your audit trail, refused ones too.",
  one: "grant",
  icon: "support",
  empty: ["Nobody from support can come in", "Open a grant when you ask for help; it ends by itself."],
  role: "owner",
  idOf: ({ id }) => id,
  nameOf: ({ reason }) => reason,
  subOf: ({ id }) => <code>{id}</code>,
  columns: [
    { title: "May read", cell: ({ scope }) => scope.replaceAll("_", " ") },
    { title: "State", cell: ({ status }) => <Status is={status} /> },
    { title: "Opened", kind: "moment", cell: (grant) => moment(grant.created_at) },
    { title: "Ends", kind: "moment", cell: (grant) => moment(grant.expires_at) },
    {
      title: "Last used",
      kind: "moment",
      cell: (grant) => (grant.last_used_at ? moment(grant.last_used_at) : "Never"),
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
        hint: "It never widens: for more, open another.",
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
      confirm: () => "Support is out at once. For more, open another grant.",
      notice: "closed",
    },
  ],
};
