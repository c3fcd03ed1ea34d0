import type { DeprecationEntry } from "../../../contract/resources/deprecations.ts";
import { BLANK, bodyOf, type FormValues, type Field } from "../../console/view/field.ts";
import { Notice, noticeAt } from "../../console/view/notice.tsx";
import { Card, Empty, Head } from "../../console/view/parts.tsx";
import { Table } from "../../console/view/table.tsx";
import { type PageRequest, show, type PageResponse } from "../../console/visit.ts";
import { submit } from "../../console/page/act.ts";
import { unreadPage } from "../../console/page/refusal-page.tsx";
import { SaveCard } from "../save-card.tsx";
import type { OperatorVisit } from "../visit.ts";

const UNDER = "/operator/deprecations";
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
const FIELDS: readonly Field[] = [
  {
    name: "method",
    label: "Method",
    kind: "choice",
    options: METHODS.map((method) => [method, method]),
    half: true,
  },
  { name: "route", label: "Route", kind: "text", required: true, placeholder: "/v1/forecast", half: true },
  { name: "since", label: "Since", kind: "text", required: true, placeholder: "2026-11-16", half: true },
  { name: "sunset", label: "Sunset", kind: "text", required: true, placeholder: "2027-11-16", half: true },
  { name: "replacement", label: "Use instead", kind: "text", placeholder: "/v1/capacity/forecasts" },
  { name: "documentation", label: "Documentation", kind: "text", required: true, placeholder: "https://…" },
];

export function operatorDeprecations(visit: OperatorVisit, ask: PageRequest): Promise<PageResponse> {
  return deprecationsPage(visit, ask, BLANK, 200);
}

async function deprecationsPage(
  visit: OperatorVisit,
  ask: PageRequest,
  draft: FormValues,
  status: number,
): Promise<PageResponse> {
  const answer = await visit.api.get<readonly DeprecationEntry[]>("/v1/meta/deprecations");
  if (answer.body === null) return unreadPage(answer, UNDER, UNDER);
  const content = (
    <>
      <Head
        title="Deprecations"
        about="A deprecation is permanent. Its sunset can be moved to a later day."
      />
      <Notice ask={ask} />
      <Card bare>
        {answer.body.length === 0 ? (
          <Empty icon="deprecations" title="No deprecated routes">
            Flag one below.
          </Empty>
        ) : (
          <Table
            label="Deprecated routes"
            columns={[
              {
                title: "Route",
                cell: ({ method, route }) => <span class="mono">{`${method} ${route}`}</span>,
              },
              { title: "Since", kind: "moment", cell: ({ since }) => since },
              { title: "Sunset", kind: "moment", cell: ({ sunset }) => sunset },
              { title: "Use instead", cell: ({ replacement }) => <code>{replacement ?? "–"}</code> },
            ]}
            rows={answer.body}
          />
        )}
      </Card>
      <SaveCard
        title="Flag a route, or move its sunset"
        action={UNDER}
        fields={FIELDS}
        draft={draft}
        visit={visit}
      />
    </>
  );
  return show("Deprecations", UNDER, content, status);
}

export function flagDeprecation(visit: OperatorVisit, ask: PageRequest): Promise<PageResponse> {
  return submit(visit, ask, {
    request: { method: "PUT", path: "/v1/admin/deprecations", body: bodyOf(ask.form, FIELDS) },
    fields: FIELDS,
    done: () => noticeAt(UNDER, "saved"),
    again: (draft, { status }) => deprecationsPage(visit, ask, draft, status),
  });
}
