import type { FormValues, Field } from "../console/view/field.ts";
import { Fields, Form, Problems } from "../console/view/form.tsx";
import { Card } from "../console/view/parts.tsx";
import { formGuardOf } from "../console/visit.ts";
import type { OperatorVisit } from "./visit.ts";

/** A form that saves something, and what was wrong with it. */
export function SaveCard(props: {
  readonly title: string;
  readonly action: string;
  readonly fields: readonly Field[];
  readonly draft: FormValues;
  readonly visit: OperatorVisit;
}) {
  return (
    <>
      <Problems of={props.fields} draft={props.draft} />
      <Card title={props.title}>
        <Form action={props.action} guard={formGuardOf(props.visit)}>
          <Fields of={props.fields} draft={props.draft} />
          <div>
            <button class="primary" type="submit">
              Save
            </button>
          </div>
        </Form>
      </Card>
    </>
  );
}
