import type { FormValues, Field, Option } from "../../console/view/field.ts";
import { Asking, Fields, Form, Problems } from "../../console/view/form.tsx";
import { Card } from "../../console/view/parts.tsx";
import { formGuardOf } from "../../console/visit.ts";
import type { OperatorVisit } from "../visit.ts";

/** The forms of an organization's page. Each shows what the API refused, field by field. */

export interface OrgForm {
  readonly path: string;
  readonly visit: OperatorVisit;
  readonly draft: FormValues;
}

/** Without a list of plans, the plan is typed. */
export function changeFields(plans: readonly Option[]): readonly Field[] {
  const plan = { name: "plan", label: "Plan", required: true, half: true } as const;
  return [
    { name: "name", label: "Name", kind: "text", required: true, half: true },
    plans.length === 0 ? { ...plan, kind: "text" } : { ...plan, kind: "choice", options: plans },
  ];
}

export const TOP_UP_FIELDS: readonly Field[] = [
  {
    name: "amount_usd",
    label: "Amount in US dollars",
    kind: "money",
    required: true,
    half: true,
    placeholder: "1000.50",
  },
];

export const PREPAY_FIELDS: readonly Field[] = [
  {
    name: "low_balance_usd",
    label: "Low balance in US dollars",
    kind: "money",
    placeholder: "50.00",
    hint: "When the balance falls below this, the event quota.low is sent.",
  },
];

export function ChangeCard(props: OrgForm & { readonly plans: readonly Option[] }) {
  const fields = changeFields(props.plans);
  return (
    <Card title="Plan and name">
      <Problems of={fields} draft={props.draft} />
      <Form action={`${props.path}/change`} guard={formGuardOf(props.visit)}>
        <Fields of={fields} draft={props.draft} />
        <div>
          <button type="submit">Save</button>
        </div>
      </Form>
    </Card>
  );
}

export function PrepaidCard(props: OrgForm & { readonly isPrepaid: boolean; readonly name: string }) {
  return props.isPrepaid ? <TopUpCard {...props} /> : <PrepayCard {...props} />;
}

function PrepayCard({ path, visit, draft, name }: OrgForm & { readonly name: string }) {
  return (
    <Card title="Prepaid balance">
      <Problems of={PREPAY_FIELDS} draft={draft} />
      <p class="quiet">The organization is not prepaid. Once it is, it spends only what was topped up.</p>
      <Asking
        action={`${path}/prepay`}
        guard={formGuardOf(visit)}
        label="Make prepaid"
        about={`Make prepaid: ${name}`}
        confirm="The balance begins at $0.00, so its calls are refused until it is topped up. It can be undone: stop prepaying."
        asked={<Fields of={PREPAY_FIELDS} draft={draft} />}
      />
    </Card>
  );
}

function TopUpCard({ path, visit, draft, name }: OrgForm & { readonly name: string }) {
  return (
    <Card title="Prepaid balance">
      <Problems of={TOP_UP_FIELDS} draft={draft} />
      <Form action={`${path}/top-up`} guard={formGuardOf(visit)}>
        <Fields of={TOP_UP_FIELDS} draft={draft} />
        <div>
          <button class="primary" type="submit">
            Top up
          </button>
        </div>
      </Form>
      <Asking
        action={`${path}/stop-prepay`}
        guard={formGuardOf(visit)}
        label="Stop prepaying"
        about={`Stop prepaying for ${name}`}
        confirm="The balance no longer limits its calls, and is removed: it is $0.00 if the organization is made prepaid again."
      />
    </Card>
  );
}
