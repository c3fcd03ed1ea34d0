import type { Child } from "hono/jsx";
import type { SafetyEvaluation } from "../../../../contract/resources/content-safety.ts";
import { BLANK, type FormValues, type Field, refusedDraft } from "../../view/field.ts";
import { Fields, Form, Problems } from "../../view/form.tsx";
import { toWords } from "../../view/format.ts";
import { Badge, Card, type Tone } from "../../view/parts.tsx";
import { type Column, Table } from "../../view/table.tsx";
import { type Answer, type PageRequest, hasRole, formGuardOf, type Visit } from "../../visit.ts";

export const TRY_PATH = "/console/safety/try";

const INPUT: Field = {
  name: "input",
  label: "Input",
  kind: "area",
  required: true,
  placeholder: "Write to ada@example.com",
  hint: "It is not stored.",
};

type DetectorResult = SafetyEvaluation["detectors"][number];

const RESULTS: Readonly<Record<DetectorResult["result"], readonly [tone: Tone, text: string]>> = {
  found: ["warn", "found"],
  nothing: ["plain", "nothing"],
  unfinished: ["warn", "not finished"],
};

const COLUMNS: readonly Column<DetectorResult>[] = [
  { title: "Detector", cell: ({ id }) => <strong>{id}</strong> },
  { title: "Action", cell: ({ action }) => toWords(action) },
  {
    title: "Result",
    cell: ({ result }) => <Badge tone={RESULTS[result][0]}>{RESULTS[result][1]}</Badge>,
  },
  {
    title: "What it found",
    cell: ({ sample }) => (sample === null ? <span class="quiet">–</span> : <code>{sample}</code>),
  },
];

/** The detectors' results for the input of the form. Null if the form was not sent. */
export async function tryInput(visit: Visit, ask: PageRequest): Promise<Answer<SafetyEvaluation> | null> {
  const input = ask.form.get(INPUT.name);
  if (input === null) return null;
  if (input.trim() === "") {
    const details = { fields: [{ field: INPUT.name, message: "is required" }] };
    const error = { code: "validation_failed", message: "", details };
    return { status: 422, body: null, error, trace: null };
  }
  const once = ask.form.get("_once") ?? visit.once();
  return visit.api.send("POST", `${visit.org}/content-safety/evaluate`, { input }, once);
}

function draftOf(ask: PageRequest, answer: Answer<SafetyEvaluation> | null): FormValues {
  if (answer === null) return BLANK;
  if (answer.error !== null) return refusedDraft(ask.form, answer, [INPUT]);
  return { ...BLANK, values: { input: ask.form.get(INPUT.name) ?? "" } };
}

/** A box to try the detectors in, for those who may change them. */
export function safetyTest(visit: Visit, ask: PageRequest, answer: Answer<SafetyEvaluation> | null): Child {
  if (!hasRole(visit, "admin")) return null;
  const draft = draftOf(ask, answer);
  const found = answer?.body ?? null;
  return (
    <>
      <Card title="Try the detectors" note="Nothing is recorded.">
        <div class="stack">
          <Problems of={[INPUT]} draft={draft} scope="try" />
          <Form action={TRY_PATH} guard={formGuardOf(visit)}>
            <Fields of={[INPUT]} draft={draft} scope="try" />
            <div>
              <button type="submit">Try</button>
            </div>
          </Form>
        </div>
      </Card>
      {found && (
        <Card title={found.decision === "block" ? "It would be blocked" : "It would pass"} bare>
          {found.detectors.length === 0 ? (
            <p class="note-line">There are no detectors.</p>
          ) : (
            <Table label="Detectors" columns={COLUMNS} rows={found.detectors} />
          )}
        </Card>
      )}
    </>
  );
}
