import type { Child } from "hono/jsx";
import type * as z from "zod";
import type { policyEvaluation } from "../../../../contract/resources/policy-rules.ts";
import { type NameOf, readNames } from "../../names.ts";
import { BLANK, bodyOf, type FormValues, type Field, refusedDraft } from "../../view/field.ts";
import { Fields, Problems } from "../../view/form.tsx";
import { toWords } from "../../view/format.ts";
import { Badge, Card } from "../../view/parts.tsx";
import { Ref } from "../../view/ref.tsx";
import { type Column, Table } from "../../view/table.tsx";
import { type Answer, type PageRequest, hasRole, type Visit } from "../../visit.ts";

type Evaluation = z.output<typeof policyEvaluation>;

const FIELDS: readonly Field[] = [
  { name: "model", label: "Model", kind: "text", half: true, required: true, placeholder: "acme/m1" },
  { name: "action", label: "Action", kind: "text", half: true },
  { name: "customer_id", label: "Customer", kind: "text", half: true },
  { name: "estimate.cost_usd", label: "Cost in US dollars", kind: "money", half: true, placeholder: "0.05" },
];

const columns = (nameOf: NameOf): readonly Column<Evaluation["rules"][number]>[] => [
  { title: "Rule", cell: ({ rule_id }) => <Ref id={rule_id} nameOf={nameOf} /> },
  { title: "Effect", cell: ({ effect, mode }) => `${toWords(effect)}${mode === "shadow" ? ", shadow" : ""}` },
  {
    title: "Result",
    cell: ({ result }) => <Badge tone={result === "matched" ? "warn" : "plain"}>{toWords(result)}</Badge>,
  },
  { title: "Why", cell: ({ message }) => message ?? <span class="quiet">–</span> },
];

/** The results of the rules for an attempt, rule by rule. Nothing is recorded. */
export async function policyTest(visit: Visit, ask: PageRequest): Promise<Child> {
  if (!hasRole(visit, "admin")) return null;
  const isAsked = FIELDS.some(({ name }) => Boolean(ask.query.get(name)?.trim()));
  const answer = isAsked
    ? await visit.api.send<Evaluation>(
        "POST",
        `${visit.org}/policy-rules/evaluate`,
        bodyOf(ask.query, FIELDS),
        visit.once(),
      )
    : null;
  const draft = draftOf(ask, answer);
  const nameOf = await readNames(visit, answer?.body?.rules.map(({ rule_id }) => rule_id) ?? []);
  return (
    <>
      <Card title="Try the rules" note="Nothing is recorded.">
        <form class="form" method="get" action={ask.path}>
          <Problems of={FIELDS} draft={draft} scope="try" />
          <Fields of={FIELDS} draft={draft} scope="try" />
          <div>
            <button type="submit">Try</button>
          </div>
        </form>
      </Card>
      {answer?.body && (
        <Card title={`It would be: ${toWords(answer.body.decision)}`} note={answer.body.reason} bare>
          <Table label="Rules" columns={columns(nameOf)} rows={answer.body.rules} />
        </Card>
      )}
    </>
  );
}

function draftOf(ask: PageRequest, answer: Answer<Evaluation> | null): FormValues {
  const values = Object.fromEntries(FIELDS.map(({ name }) => [name, ask.query.get(name) ?? ""]));
  return answer === null || answer.error === null
    ? { ...BLANK, values }
    : refusedDraft(ask.query, answer, FIELDS);
}
