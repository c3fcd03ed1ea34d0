import { DELETE, type Resource } from "../page/resource.ts";
import type { CustomerLimit } from "../../../contract/resources/customer-limits.ts";
import type { Field } from "../view/field.ts";
import { formatEnd } from "../view/format.ts";
import { runsChargedTo } from "../view/links.ts";
import { Usd } from "../view/money.tsx";
import { Behind, UsedOf } from "../view/parts.tsx";
import { OverBy, passedLimitNotice } from "./customers/passed-limit.tsx";
import { PERIODS } from "./budgets/periods.ts";

const TERMS: readonly Field[] = [
  {
    name: "limit_usd",
    label: "Limit in US dollars",
    kind: "money",
    required: true,
    half: true,
    placeholder: "50.00",
  },
  { name: "period", label: "Period", kind: "choice", half: true, options: PERIODS },
];

export const customerLimits: Resource<CustomerLimit> = {
  path: "/console/customer-limits",
  api: "customer-limits",
  title: "Customer limits",
  about:
    "How much each of your customers may spend per period. An asterisk (*) applies to every customer without a limit of their own.",
  one: "customer limit",
  icon: "customers",
  empty: [
    "No customer limits yet",
    "Send customer_id with each decision and run. Then limit one customer by id, or every customer with an asterisk (*).",
  ],
  role: "admin",
  idOf: ({ id }) => id,
  nameOf: ({ customer_id }) => (customer_id === "*" ? "Every other customer" : customer_id),
  subOf: ({ customer_id, period }) => `${customer_id === "*" ? "*, counted separately, " : ""}per ${period}`,
  columns: [
    {
      title: "Used",
      kind: "meter",
      cell: (row) =>
        row.spent_usd === null ? (
          <span class="quiet">Counted per customer</span>
        ) : (
          <UsedOf spent={row.spent_usd} held={row.reserved_usd ?? "0"} limit={row.limit_usd} />
        ),
    },
    {
      title: "Spent",
      kind: "number",
      cell: (row) => (
        <>
          <Behind href={row.spent_usd === null ? null : runsChargedTo(row.id, row)}>
            <Usd of={row.spent_usd} />
          </Behind>
          <OverBy of={row} />
        </>
      ),
    },
    { title: "Reserved", kind: "number", cell: (row) => <Usd of={row.reserved_usd} /> },
    { title: "Limit", kind: "number", cell: (row) => <Usd of={row.limit_usd} /> },
    { title: "Resets", kind: "moment", cell: (row) => formatEnd(row.period_end) },
  ],
  filters: [{ name: "customer_id", title: "Customer" }],
  create: {
    title: "Limit a customer",
    save: "Set the limit",
    fields: [
      {
        name: "customer_id",
        label: "Customer",
        kind: "text",
        required: true,
        placeholder: "globex",
        hint: "The customer_id in your calls, or * for every customer without a limit of their own.",
      },
      ...TERMS,
    ],
  },
  above: async (_visit, limit) => passedLimitNotice(limit),
  change: { method: "PATCH", fields: TERMS, note: "Takes effect everywhere within two seconds." },
  actions: [
    { ...DELETE, confirm: ({ customer_id }) => `${customer_id} will no longer have a limit of its own.` },
  ],
};
