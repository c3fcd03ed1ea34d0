import type { CustomerStanding } from "../../../../contract/resources/customers.ts";
import { type FormValues, draftOf, type Field } from "../../view/field.ts";
import { Fields, Form, Problems } from "../../view/form.tsx";
import { customerAt } from "../../view/links.ts";
import { Usd } from "../../view/money.tsx";
import { Card, Tile } from "../../view/parts.tsx";
import { daysIn, type Range } from "../../view/range.ts";
import { formGuardOf, type Visit } from "../../visit.ts";

/** The name and the revenue of a customer. Everything that is left empty is taken back. */
export const REVENUE: readonly Field[] = [
  { name: "name", label: "Name", kind: "text", placeholder: "Globex Corporation" },
  {
    name: "revenue.usd_per_month",
    label: "US dollars a month",
    kind: "money",
    half: true,
    placeholder: "500.00",
    hint: "What the customer pays for each calendar month.",
  },
  {
    name: "revenue.markup",
    label: "Markup",
    kind: "money",
    half: true,
    placeholder: "0.3",
    hint: "With 0.3 the customer pays 1.3 times what it costs.",
  },
];

/** The revenue from the customer in these days, and the margin. Nothing where the reader may not know, or nobody said. */
export function RevenueTiles({ of, range }: { of: CustomerStanding; range: Range }) {
  const { revenue_usd: revenue, margin_usd: margin } = of;
  if (revenue === null || revenue === undefined) return null;
  return (
    <>
      <Tile label="Revenue" value={<Usd of={revenue} />}>
        {daysIn(range)}
      </Tile>
      <Tile label="Margin" value={<Usd of={margin} />}>
        revenue less cost, {daysIn(range)}
      </Tile>
    </>
  );
}

export function RevenueCard(props: {
  readonly visit: Visit;
  readonly of: CustomerStanding;
  /** The form that was refused, if one was. */
  readonly draft: FormValues | null;
}) {
  const { visit, of, draft } = props;
  return (
    <Card title="Name and revenue" note="Only admins see what customers pay.">
      <div class="stack">
        {draft && <Problems of={REVENUE} draft={draft} scope="customer" />}
        <Form action={customerAt(of.customer_id)} guard={formGuardOf(visit)}>
          <Fields of={REVENUE} draft={draft ?? draftOf(of, REVENUE)} scope="customer" />
          <div>
            <button type="submit">Save</button>
          </div>
        </Form>
      </div>
    </Card>
  );
}
