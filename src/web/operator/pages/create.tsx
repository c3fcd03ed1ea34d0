import { BLANK, bodyOf, type FormValues, type Field } from "../../console/view/field.ts";
import { Fields, Form, Problems, SaveOrCancel } from "../../console/view/form.tsx";
import { Card, Head, secretPage } from "../../console/view/parts.tsx";
import { type PageRequest, formGuardOf, show, type PageResponse } from "../../console/visit.ts";
import { submit } from "../../console/page/act.ts";
import type { OperatorVisit } from "../visit.ts";

const UNDER = "/operator";
const FIELDS: readonly Field[] = [
  { name: "name", label: "Name", kind: "text", required: true },
  { name: "plan", label: "Plan", kind: "text", hint: "If empty: standard." },
  {
    name: "home_region",
    label: "Home region",
    kind: "text",
    hint: "If empty: this one. Only a move to another region changes it.",
  },
  {
    name: "environment",
    label: "Environment",
    kind: "choice",
    options: [
      ["live", "Live"],
      ["test", "Test, with a clock that can be moved"],
    ],
  },
];

export async function newOrganization(visit: OperatorVisit): Promise<PageResponse> {
  return formPage(visit, BLANK, 200);
}

function formPage(visit: OperatorVisit, draft: FormValues, status: number): PageResponse {
  const content = (
    <>
      <Head title="Create organization" />
      <Problems of={FIELDS} draft={draft} />
      <Card>
        <Form action={`${UNDER}/orgs`} guard={formGuardOf(visit)}>
          <Fields of={FIELDS} draft={draft} />
          <SaveOrCancel save="Create" cancel={UNDER} />
        </Form>
      </Card>
    </>
  );
  return show("Create organization", UNDER, content, status);
}

export function createOrganization(visit: OperatorVisit, ask: PageRequest): Promise<PageResponse> {
  return submit(visit, ask, {
    request: { method: "POST", path: "/v1/admin/orgs", body: bodyOf(ask.form, FIELDS) },
    fields: FIELDS,
    done: (made) => {
      const { org, owner_key } = made as { org: { id: string; name: string }; owner_key: string };
      const about = "Hand it to the organization's owner now. It is not shown again.";
      return show(
        org.name,
        UNDER,
        secretPage(
          org.name,
          ["Owner key", owner_key, about],
          [`${UNDER}/orgs/${org.id}`, "Go to the organization"],
        ),
      );
    },
    again: (draft, { status }) => formPage(visit, draft, status),
  });
}
