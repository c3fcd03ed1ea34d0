import { ATTRIBUTED } from "../../../../contract/dimensions.ts";
import type { Explanation } from "../../../../contract/resources/explain.ts";
import { SCOPE_FIELDS } from "../../../../contract/scopes.ts";
import { type NameOf, readNames } from "../../names.ts";
import { bodyOf, BLANK, type FormValues, type Field, refusedDraft } from "../../view/field.ts";
import { dimensionTitle } from "../../view/format.ts";
import { Fields, Problems } from "../../view/form.tsx";
import { refusalsAt } from "../../view/links.ts";
import { REFUSALS_ARE_KEPT } from "../../view/refusal-retention.ts";
import { Card, Empty, Head } from "../../view/parts.tsx";
import { type Answer, type PageRequest, show, type PageResponse, type Visit } from "../../visit.ts";
import { Checks } from "./checks.tsx";

const UNDER = "/console/explain";

const SUBJECTS = ["trace_id", "refusal_id", "run_id", "reservation_id"] as const;

const FIELDS: readonly Field[] = [
  { name: "model", label: "Model", kind: "text", half: true, placeholder: "acme/m1" },
  {
    name: "estimate.cost_usd",
    label: "Cost in US dollars",
    kind: "money",
    half: true,
    placeholder: "0.05",
    hint: "Or give tokens, if the model has a price.",
  },
  { name: "estimate.input_tokens", label: "Input tokens", kind: "integer", half: true },
  { name: "estimate.max_output_tokens", label: "Most output tokens", kind: "integer", half: true },
  ...[...SCOPE_FIELDS, ...ATTRIBUTED].map((name): Field => ({
    name,
    label: dimensionTitle(name),
    kind: "text",
    half: true,
  })),
  {
    name: "checks",
    label: "Checked against",
    kind: "choice",
    options: [
      ["", "The default of the organization"],
      ["limits", "Limits"],
      ["all", "Everything that a run is checked against"],
    ],
  },
];

/** Why a call was refused or allowed, and whether another would pass. */
export async function explain(visit: Visit, ask: PageRequest): Promise<PageResponse> {
  const subject = SUBJECTS.find((name) => Boolean(ask.query.get(name)));
  const isAsked = FIELDS.some(({ name }) => Boolean(ask.query.get(name)?.trim()));
  const question = subject === undefined ? null : { [subject]: ask.query.get(subject) };
  const answer = question === null ? await tryCall(visit, ask, isAsked) : await send(visit, question);
  const several = subject === "trace_id" && (answer?.body?.refusals ?? 0) > 1;
  if (several) return { redirect: refusalsAt({ trace_id: ask.query.get("trace_id") ?? "" }) };
  const draft = draftOf(ask, question === null && isAsked ? answer : null);
  const { refusal, checks = [] } = answer?.body ?? {};
  const refusedBy = checks.find(({ outcome }) => outcome === "refused");
  const nameOf = await readNames(visit, [refusal?.key_id, refusedBy?.id]);
  const content = (
    <>
      <Head
        title="Explain"
        about="Why a call was refused or allowed, check by check. Search for its trace, run or reservation at the top of any page."
      />
      <Result answer={answer} isSubject={question !== null} nameOf={nameOf} />
      <Card title="Would this call pass?" note="Nothing is reserved, and nobody is told.">
        <form class="form" method="get" action={UNDER}>
          <Problems of={FIELDS} draft={draft} />
          <Fields of={FIELDS} draft={draft} />
          <div>
            <button class="primary" type="submit">
              Check
            </button>
          </div>
        </form>
      </Card>
    </>
  );
  return show("Explain", UNDER, content, answer?.status ?? 200);
}

function send(visit: Visit, question: object): Promise<Answer<Explanation>> {
  return visit.api.send<Explanation>("POST", `${visit.org}/explain`, question, visit.once());
}

async function tryCall(
  visit: Visit,
  ask: PageRequest,
  isAsked: boolean,
): Promise<Answer<Explanation> | null> {
  if (!isAsked) return null;
  const body = bodyOf(ask.query, FIELDS);
  return send(visit, { ask: { estimate: {}, ...body } });
}

/** The search stays in the form, with its errors. */
function draftOf(ask: PageRequest, answer: Answer<Explanation> | null): FormValues {
  const values = Object.fromEntries(FIELDS.map(({ name }) => [name, ask.query.get(name) ?? ""]));
  if (answer === null || answer.error === null) return { ...BLANK, values };
  return refusedDraft(ask.query, answer, FIELDS, (field) => field.replace(/^ask\./, ""));
}

function Result(props: {
  readonly answer: Answer<Explanation> | null;
  readonly isSubject: boolean;
  readonly nameOf: NameOf;
}) {
  const { answer, isSubject, nameOf } = props;
  if (answer === null) return null;
  if (answer.body !== null) return <Checks of={answer.body} nameOf={nameOf} />;
  if (!isSubject) return null;
  return (
    <Card bare>
      <Empty icon="explain" title="Nothing is stored about this">
        {answer.error?.code === "not_found"
          ? `${REFUSALS_ARE_KEPT} An allowed decision is found by its reservation, a run by its id.`
          : answer.error?.message}
      </Empty>
    </Card>
  );
}
