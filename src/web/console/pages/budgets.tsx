import { Meter } from "../view/charts.tsx";
import { moment, percent, share, usd, words } from "../view/format.ts";
import { ActionButton, BLANK, type Draft, Form, Problems, SelectField, TextField } from "../view/form.tsx";
import { Notice, noticeAt } from "../view/notice.tsx";
import { Card, Empty, Head, Status, Table } from "../view/parts.tsx";
import { type Ask, bodyOf, type ListOf, show, type Shown, submit, type Visit } from "../visit.ts";
import type { Budget } from "./limits-at-a-glance.ts";
import { refusedPage } from "./refused.tsx";

const UNDER = "/console/budgets";
const COLUMNS = [
  { title: "Budget" },
  { title: "Used" },
  { title: "Spent", end: true },
  { title: "Held", end: true },
  { title: "Limit", end: true },
  { title: "Ends", end: true },
  { title: "State" },
];

export async function listBudgets(visit: Visit, ask: Ask): Promise<Shown> {
  const answer = await visit.api.get<ListOf<Budget>>(`${visit.org}/budgets?limit=200`);
  if (answer.body === null) return refusedPage(answer, UNDER);
  const create = (
    <a class="button primary" href="/console/budgets/new">
      New budget
    </a>
  );
  const content = (
    <>
      <Head
        title="Budgets"
        about="How much may be spent in a period: by the org, a department, a workflow or a deployment."
      >
        {create}
      </Head>
      <Notice ask={ask} />
      <Card bare>
        {answer.body.data.length === 0 ? (
          <Empty icon="budgets" title="No budgets yet" action={create}>
            A budget is checked before each run, together with what other runs hold. Start with one for the
            whole org; a shadow budget only tells you what it would have refused.
          </Empty>
        ) : (
          <Table label="Budgets" columns={COLUMNS}>
            {answer.body.data.map((budget) => (
              <BudgetRow budget={budget} />
            ))}
          </Table>
        )}
      </Card>
    </>
  );
  return show("Budgets", UNDER, content);
}

function BudgetRow({ budget }: { budget: Budget }) {
  const name = budget.name ?? words(budget.scope_kind);
  const used = share(budget.spent_usd, budget.limit_usd);
  const held = Number(budget.limit_usd) > 0 ? share(budget.reserved_usd, budget.limit_usd) : 0;
  return (
    <tr>
      <td>
        <a href={`/console/budgets/${budget.id}`}>{name}</a>
        <span class="sub">
          {words(budget.scope_kind)} {budget.scope_id} · per {budget.period}
        </span>
      </td>
      <td class="wide">
        <Meter spent={used} held={held} label={name} />
        <span class="sub number">{percent(used + held)}</span>
      </td>
      <td class="end number">{usd(budget.spent_usd)}</td>
      <td class="end number">{usd(budget.reserved_usd)}</td>
      <td class="end number">{usd(budget.limit_usd)}</td>
      <td class="end number">{budget.period_end ? moment(budget.period_end) : "Never"}</td>
      <td>
        <Status is={budget.mode === "shadow" ? "shadow" : budget.status} />
      </td>
    </tr>
  );
}

function BudgetFields({ draft, isNew }: { draft: Draft; isNew: boolean }) {
  return (
    <>
      <TextField name="name" label="Name" draft={draft} />
      {isNew && (
        <div class="pair">
          <SelectField
            name="scope_kind"
            label="Applies to"
            required
            draft={draft}
            options={[
              ["org", "The whole org"],
              ["department", "A department"],
              ["workflow", "A workflow"],
              ["deployment", "A deployment"],
            ]}
          />
          <TextField name="scope_id" label="Its id" draft={draft} hint="Leave empty for the whole org." />
        </div>
      )}
      <div class="pair">
        <TextField
          name="limit_usd"
          label="Limit in US dollars"
          required
          draft={draft}
          inputmode="decimal"
          placeholder="250.00"
          hint="Up to nine decimals."
        />
        {isNew && (
          <SelectField
            name="period"
            label="Period"
            required
            draft={draft}
            options={[
              ["month", "Month"],
              ["day", "Day"],
              ["week", "Week"],
              ["quarter", "Quarter"],
              ["year", "Year"],
              ["total", "Total, never resets"],
            ]}
          />
        )}
      </div>
      <div class="pair">
        <SelectField
          name="mode"
          label="When it is reached"
          required
          draft={draft}
          options={[
            ["enforce", "Refuse"],
            ["shadow", "Only tell (shadow)"],
          ]}
        />
        <TextField
          name="alert_thresholds"
          label="Tell at"
          draft={draft}
          placeholder="0.8, 1"
          hint="Parts of the limit, each announced once a period."
        />
      </div>
    </>
  );
}

const SHAPE = { name: "text", limit_usd: "text", mode: "text", alert_thresholds: "list" } as const;

function newPage(visit: Visit, draft: Draft, status = 200): Shown {
  const content = (
    <>
      <Head title="New budget" />
      <Problems draft={draft} />
      <Card>
        <Form action="/console/budgets" csrf={visit.visitor.csrf} once={visit.once()}>
          <BudgetFields draft={draft} isNew />
          <div class="inline">
            <button class="primary" type="submit">
              Create budget
            </button>
            <a class="button" href="/console/budgets">
              Cancel
            </a>
          </div>
        </Form>
      </Card>
    </>
  );
  return show("New budget", UNDER, content, status);
}

export async function newBudget(visit: Visit): Promise<Shown> {
  return newPage(visit, BLANK);
}

export function createBudget(visit: Visit, ask: Ask): Promise<Shown> {
  const body = bodyOf(ask.form, { ...SHAPE, scope_kind: "text", scope_id: "text", period: "text" });
  const request = { method: "POST", path: `${visit.org}/budgets`, body } as const;
  return submit(
    visit,
    ask,
    request,
    () => noticeAt(UNDER, "created"),
    (draft, status) => newPage(visit, draft, status),
  );
}

export async function editBudget(
  visit: Visit,
  ask: Ask,
  refused: Draft | null = null,
  status = 200,
): Promise<Shown> {
  const answer = await visit.api.get<Budget>(`${visit.org}/budgets/${ask.params["id"]}`);
  const budget = answer.body;
  if (budget === null) return refusedPage(answer, UNDER);
  const { name, limit_usd, mode, alert_thresholds = [] } = budget;
  const values = { name: name ?? "", limit_usd, mode, alert_thresholds: alert_thresholds.join(", ") };
  const draft = refused ?? { values, errors: {}, problem: null };
  const path = `/console/budgets/${budget.id}`;
  const content = (
    <>
      <Head title={name ?? words(budget.scope_kind)} about={<code>{budget.id}</code>}>
        <ActionButton
          action={`${path}/delete`}
          csrf={visit.visitor.csrf}
          once={visit.once()}
          label="Delete budget"
          danger
        />
      </Head>
      <Notice ask={ask} />
      <Problems draft={draft} />
      <Card bare>
        <Table label="This budget" columns={COLUMNS}>
          <BudgetRow budget={budget} />
        </Table>
      </Card>
      <Card
        title="Edit"
        note="Raising it is felt everywhere within two seconds. Lowering it below what is spent refuses the next run."
      >
        <Form action={path} csrf={visit.visitor.csrf} once={visit.once()}>
          <BudgetFields draft={draft} isNew={false} />
          <div class="inline">
            <button class="primary" type="submit">
              Save
            </button>
          </div>
        </Form>
      </Card>
    </>
  );
  return show(name ?? "Budget", UNDER, content, status);
}

export function saveBudget(visit: Visit, ask: Ask): Promise<Shown> {
  const path = `/budgets/${ask.params["id"]}`;
  const request = { method: "PATCH", path: visit.org + path, body: bodyOf(ask.form, SHAPE) } as const;
  return submit(
    visit,
    ask,
    request,
    () => noticeAt(`/console${path}`, "saved"),
    (draft, status) => editBudget(visit, ask, draft, status),
  );
}

export function deleteBudget(visit: Visit, ask: Ask): Promise<Shown> {
  const request = { method: "DELETE", path: `${visit.org}/budgets/${ask.params["id"]}`, body: null } as const;
  return submit(
    visit,
    ask,
    request,
    () => noticeAt(UNDER, "deleted"),
    (draft, status) => editBudget(visit, ask, draft, status),
  );
}
