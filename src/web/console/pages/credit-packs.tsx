import type { Resource } from "../page/resource.ts";
import type { CreditPack } from "../../../contract/resources/credit-packs.ts";
import { formatEnd, formatMoment, usd } from "../view/format.ts";
import { customerAt, runsChargedTo } from "../view/links.ts";
import { Usd } from "../view/money.tsx";
import { Status, UsedOf } from "../view/parts.tsx";

/** The remaining amount, linked to the runs that took the rest. */
function leftOf({ id, created_at, remaining_usd }: CreditPack) {
  return (
    <a href={runsChargedTo(id, { period_start: created_at })}>
      <Usd of={remaining_usd} />
    </a>
  );
}

export const packs: Resource<CreditPack> = {
  path: "/console/packs",
  api: "credit-packs",
  title: "Credit packs",
  about: "Prepaid credits of a customer. When a customer's active packs are used up, its runs are refused.",
  one: "credit pack",
  icon: "packs",
  empty: [
    "No credit packs",
    "Grant one when a customer pays in advance. Packs are used by priority, then by expiry, then by age.",
  ],
  role: "admin",
  idOf: ({ id }) => id,
  nameOf: ({ customer_id }) => customer_id,
  subOf: ({ id, customer_id }) => (
    <>
      <a href={customerAt(customer_id)}>Customer</a> <code>{id}</code>
    </>
  ),
  columns: [
    {
      title: "Used",
      kind: "meter",
      cell: (pack) => <UsedOf spent={pack.spent_usd} held={pack.reserved_usd} limit={pack.amount_usd} />,
    },
    { title: "Left", kind: "number", cell: leftOf },
    { title: "Of", kind: "number", cell: (pack) => <Usd of={pack.amount_usd} /> },
    { title: "Priority", kind: "number", cell: (pack) => pack.priority },
    { title: "State", cell: (pack) => <Status is={pack.status} /> },
    {
      title: "Expires",
      kind: "moment",
      cell: ({ effective_at, expires_at }) => (
        <>
          {formatEnd(expires_at)}
          <span class="sub">from {formatMoment(effective_at)}</span>
        </>
      ),
    },
  ],
  filters: [{ name: "customer_id", title: "Customer" }],
  create: {
    title: "Grant credits",
    save: "Grant credits",
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
      {
        name: "effective_at",
        label: "From (UTC)",
        kind: "moment",
        half: true,
        hint: "Leave empty to start now.",
      },
      {
        name: "expires_at",
        label: "Expires (UTC)",
        kind: "moment",
        half: true,
        hint: "Leave empty for no expiry.",
      },
      {
        name: "priority",
        label: "Priority",
        kind: "integer",
        half: true,
        placeholder: "100",
        hint: "Packs with a lower number are used first.",
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
      isFor: ({ status }) => status === "live" || status === "scheduled",
      confirm: (pack) =>
        `The remaining ${usd(pack.remaining_usd)} is lost permanently. Past charges are kept.`,
      notice: "voided",
    },
  ],
};
