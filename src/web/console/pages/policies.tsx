import {
  ActionButton,
  AreaField,
  BLANK,
  type Draft,
  Form,
  Problems,
  SelectField,
  TextField,
} from "../view/form.tsx";
import { Notice, noticeAt } from "../view/notice.tsx";
import { Card, Empty, Head, Status, Table } from "../view/parts.tsx";
import { type Ask, bodyOf, type ListOf, show, type Shown, submit, type Visit } from "../visit.ts";
import { act } from "./act.ts";
import { refusedPage } from "./refused.tsx";

const UNDER = "/console/policies";
const COLUMNS = [
  { title: "Priority", end: true },
  { title: "When" },
  { title: "Effect" },
  { title: "Mode" },
  { title: "Actions", hidden: true },
];
const SHAPE = {
  target: "text",
  effect: "text",
  when: "text",
  reason: "text",
  priority: "integer",
  mode: "text",
} as const;

interface Rule {
  readonly id: string;
  readonly target: string;
  readonly effect: string;
  readonly when: string;
  readonly reason: string;
  readonly priority: number;
  readonly mode: string;
}

export async function listPolicies(visit: Visit, ask: Ask): Promise<Shown> {
  const answer = await visit.api.get<ListOf<Rule>>(`${visit.org}/policy-rules?limit=200`);
  if (answer.body === null) return refusedPage(answer, UNDER);
  const create = (
    <a class="button primary" href="/console/policies/new">
      New rule
    </a>
  );
  const content = (
    <>
      <Head
        title="Policies"
        about="Rules on models and actions. Deny beats require approval, which beats allow; what no rule matches is allowed."
      >
        {create}
      </Head>
      <Notice ask={ask} />
      <Card bare>
        {answer.body.data.length === 0 ? (
          <Empty icon="policies" title="No rules yet" action={create}>
            A rule is a condition in CEL, such as <code>model.startsWith("acme/")</code>, and what happens
            when it holds. Start in shadow mode to see what it would do.
          </Empty>
        ) : (
          <Table label="Rules" columns={COLUMNS}>
            {answer.body.data
              .toSorted((a, b) => b.priority - a.priority)
              .map((rule) => (
                <RuleRow visit={visit} rule={rule} />
              ))}
          </Table>
        )}
      </Card>
    </>
  );
  return show("Policies", UNDER, content);
}

function RuleRow({ visit, rule }: { visit: Visit; rule: Rule }) {
  return (
    <tr>
      <td class="end number">{rule.priority}</td>
      <td>
        <a class="mono" href={`${UNDER}/${rule.id}`}>
          {rule.when}
        </a>
        <span class="sub">
          On the {rule.target}. {rule.reason}
        </span>
      </td>
      <td>
        <Status is={rule.effect} />
      </td>
      <td>
        <Status is={rule.mode} />
      </td>
      <td>
        <ActionButton
          csrf={visit.visitor.csrf}
          once={visit.once()}
          action={`${UNDER}/${rule.id}/delete`}
          label="Delete"
          about={`Delete the rule ${rule.when}`}
          danger
        />
      </td>
    </tr>
  );
}

function RuleForm({
  visit,
  action,
  draft,
  save,
}: {
  visit: Visit;
  action: string;
  draft: Draft;
  save: string;
}) {
  return (
    <Form action={action} csrf={visit.visitor.csrf} once={visit.once()}>
      <AreaField
        name="when"
        label="When"
        required
        draft={draft}
        hint="CEL over run, model, action, customer_id, estimate and now."
      />
      <div class="pair">
        <SelectField
          name="target"
          label="On the"
          required
          draft={draft}
          options={[
            ["model", "Model"],
            ["action", "Action"],
          ]}
        />
        <SelectField
          name="effect"
          label="Effect"
          required
          draft={draft}
          options={[
            ["deny", "Deny"],
            ["require_approval", "Require approval"],
            ["allow", "Allow"],
          ]}
        />
      </div>
      <TextField name="reason" label="Reason" required draft={draft} hint="Told to whoever is refused." />
      <div class="pair">
        <TextField
          name="priority"
          label="Priority"
          required
          draft={draft}
          inputmode="numeric"
          placeholder="100"
        />
        <SelectField
          name="mode"
          label="Mode"
          required
          draft={draft}
          options={[
            ["enforce", "Enforce"],
            ["shadow", "Shadow: only tell"],
          ]}
        />
      </div>
      <div class="inline">
        <button class="primary" type="submit">
          {save}
        </button>
        <a class="button" href={UNDER}>
          Cancel
        </a>
      </div>
    </Form>
  );
}

function formPage(visit: Visit, title: string, action: string, draft: Draft, status: number): Shown {
  const content = (
    <>
      <Head title={title} />
      <Problems draft={draft} />
      <Card>
        <RuleForm
          visit={visit}
          action={action}
          draft={draft}
          save={action === UNDER ? "Create rule" : "Save"}
        />
      </Card>
    </>
  );
  return show(title, UNDER, content, status);
}

export async function newRule(visit: Visit): Promise<Shown> {
  return formPage(visit, "New rule", UNDER, BLANK, 200);
}

export function createRule(visit: Visit, ask: Ask): Promise<Shown> {
  const request = {
    method: "POST",
    path: `${visit.org}/policy-rules`,
    body: bodyOf(ask.form, SHAPE),
  } as const;
  return submit(
    visit,
    ask,
    request,
    () => noticeAt(UNDER, "created"),
    (draft, status) => formPage(visit, "New rule", UNDER, draft, status),
  );
}

export async function editRule(visit: Visit, ask: Ask): Promise<Shown> {
  const answer = await visit.api.get<Rule>(`${visit.org}/policy-rules/${ask.params["id"]}`);
  if (answer.body === null) return refusedPage(answer, UNDER);
  const { id, target, effect, when, reason, priority, mode } = answer.body;
  const values = { target, effect, when, reason, priority: String(priority), mode };
  return formPage(visit, "Edit rule", `${UNDER}/${id}`, { values, errors: {}, problem: null }, 200);
}

export function saveRule(visit: Visit, ask: Ask): Promise<Shown> {
  const id = ask.params["id"] ?? "";
  const request = {
    method: "PATCH",
    path: `${visit.org}/policy-rules/${id}`,
    body: bodyOf(ask.form, SHAPE),
  } as const;
  return submit(
    visit,
    ask,
    request,
    () => noticeAt(UNDER, "saved"),
    (draft, status) => formPage(visit, "Edit rule", `${UNDER}/${id}`, draft, status),
  );
}

export function deleteRule(visit: Visit, ask: Ask): Promise<Shown> {
  return act(
    visit,
    ask,
    ["DELETE", `${visit.org}/policy-rules/${ask.params["id"]}`, null],
    [UNDER, "deleted"],
  );
}
