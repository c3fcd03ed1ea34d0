import type { Resource } from "../page/resource.ts";
import type { CreditPack } from "../../../contract/resources/credit-packs.ts";
import { ends, moment, usd } from "../view/format.ts";
import { Status, UsedOf } from "../view/parts.tsx";

export const packs: Resource<CreditPack> = {
  path: "/console/packs",
  api: "credit-packs",
  title: "Credit packs",
  about: "Credits that a customer spends from. A customer with a live pack stops when its packs are empty.",
  one: "credit pack",
  icon: "packs",
  empty: [
    "No credit packs",
    "Grant one when a customer has paid in advance. Packs are drawn by priority, then by what expires first, then by age.",
  ],
  role: "admin",
  idOf: ({ id }) => id,
  nameOf: ({ customer_id }) => customer_id,
  subOf: ({ id }) => <code>{id}</code>,
  columns: [
    {
      title: "Used",
      kind: "meter",
      cell: (pack) => <UsedOf spent={pack.spent_usd} held="0" limit={pack.amount_usd} />,
    },
    { title: "Left", kind: "number", cell: (pack) => usd(pack.remaining_usd) },
    { title: "Of", kind: "number", cell: (pack) => usd(pack.amount_usd) },
    { title: "Priority", kind: "number", cell: (pack) => pack.priority },
    { title: "State", cell: (pack) => <Status is={pack.status} /> },
    { title: "From", kind: "moment", cell: (pack) => moment(pack.effective_at) },
    { title: "Expires", kind: "moment", cell: (pack) => ends(pack.expires_at) },
  ],
  filters: [{ name: "customer_id", title: "Customer" }],
  create: {
    title: "Grant credits",
    save: "Grant the pack",
    fields: [
      {
        name: "customer_id",
        label: "Customer",
        kind: "text",
        required: true,
        half: true,
        placeholder: "initech",
      },
      {
        name: "amount_usd",
        label: "Amount in US dollars",
        kind: "money",
        required: true,
        half: true,
        placeholder: "75.00",
      },
      { name: "effective_at", label: "From (UTC)", kind: "moment", half: true, hint: "Left empty: at once." },
      { name: "expires_at", label: "Expires (UTC)", kind: "moment", half: true, hint: "Left empty: never." },
      {
        name: "priority",
        label: "Priority",
        kind: "integer",
        half: true,
        placeholder: "100",
        hint: "Lower is drawn first.",
      },
    ],
  },
  actions: [
    {
      name: "void",
      label: "Void",
      method: "POST",
      api: "/void",
      inList: true,
      isFor: ({ status }) => status !== "voided",
      confirm: (pack) =>
        `What is left of it, ${usd(pack.remaining_usd)}, is gone for good. What was drawn stays drawn.`,
      notice: "voided",
    },
  ],
};
