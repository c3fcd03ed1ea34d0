import type { Child } from "hono/jsx";
import type { RoutingSelection } from "../../../contract/resources/routing.ts";
import type { Setting, SettingsPage } from "../page/settings.tsx";
import type { Field } from "../view/field.ts";
import { Badge, Card } from "../view/parts.tsx";
import { type Column, Table } from "../view/table.tsx";
import type { Visit } from "../visit.ts";

const FIELDS: readonly Field[] = [
  {
    name: "candidates",
    label: "Candidates",
    kind: "list",
    required: true,
    placeholder: "acme/m1, acme/m2",
    hint: "Models that calls can be routed to.",
  },
  {
    name: "prefer",
    label: "Prefer",
    kind: "choice",
    half: true,
    options: [
      ["cheapest", "Cheapest that passes"],
      ["best", "Best that passes"],
    ],
  },
  {
    name: "fallback_model",
    label: "Fallback model",
    kind: "text",
    half: true,
    hint: "Used when no candidate passes. Leave empty to refuse the call.",
  },
  {
    name: "eval_gate.suite",
    label: "Eval suite",
    kind: "text",
    required: true,
    half: true,
    placeholder: "support-answers",
  },
  {
    name: "eval_gate.min_score",
    label: "Minimum score, 0 to 1",
    kind: "number",
    required: true,
    half: true,
    placeholder: "0.9",
    hint: "The lower confidence bound of the score must reach this.",
  },
  {
    name: "eval_gate.min_samples",
    label: "Minimum samples",
    kind: "integer",
    required: true,
    half: true,
    placeholder: "100",
  },
  {
    name: "eval_gate.max_age_days",
    label: "Maximum age in days",
    kind: "integer",
    required: true,
    half: true,
    placeholder: "30",
  },
];

const policy: Setting<unknown> = {
  name: "policy",
  title: "Routing policy",
  api: "routing-policy",
  method: "PUT",
  role: "admin",
  save: "Save policy",
  noteOf: (found) => (found === null ? "Not set" : null),
  fieldsOf: () => FIELDS,
};

const COLUMNS: readonly Column<RoutingSelection["considered"][number]>[] = [
  { title: "Model", cell: ({ model }) => <strong>{model}</strong> },
  {
    title: "Passes",
    cell: ({ eligible }) => <Badge tone={eligible ? "good" : "warn"}>{eligible ? "yes" : "no"}</Badge>,
  },
  { title: "Why", cell: ({ why }) => why },
];

/** The policy's choice now: the quickest way to check it. */
async function chosenNow(visit: Visit): Promise<Child> {
  const answer = await visit.api.send<RoutingSelection>("POST", "/v1/routing/select", {}, visit.once());
  const link = (
    <>
      <a href="/console/evals">Eval results</a>, <a href="/console/fallbacks">fallbacks</a>
    </>
  );
  if (answer.body === null) {
    return (
      <Card title="Current choice" note={link}>
        <p class="quiet">
          {answer.error?.message} <code>{answer.error?.code}</code>
        </p>
      </Card>
    );
  }
  const { model, reason, considered } = answer.body;
  return (
    <Card
      title={`Current choice: ${model}`}
      note={
        <>
          As the {reason}. {link}
        </>
      }
      bare
    >
      <Table label="Candidates" columns={COLUMNS} rows={considered} />
    </Card>
  );
}

export const routing: SettingsPage = {
  path: "/console/routing",
  title: "Routing",
  about:
    "Which model a call uses. A model must be allowed by policy, available in the region, priced, and proven on your own evals.",
  settings: [policy],
  below: chosenNow,
};
