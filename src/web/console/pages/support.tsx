import { moment } from "../view/format.ts";
import { ActionButton, BLANK, type Draft, Form, Problems, SelectField, TextField } from "../view/form.tsx";
import { Notice, noticeAt } from "../view/notice.tsx";
import { Card, Empty, Head, Status, Table } from "../view/parts.tsx";
import { type Ask, bodyOf, type ListOf, show, type Shown, submit, type Visit } from "../visit.ts";
import { act } from "./act.ts";
import { refusedPage } from "./refused.tsx";

const UNDER = "/console/support";
const COLUMNS = [
  { title: "Reason" },
  { title: "Scope" },
  { title: "State" },
  { title: "Opened" },
  { title: "Ends" },
  { title: "Last used" },
  { title: "Actions", hidden: true },
];

export interface Grant {
  readonly id: string;
  readonly scope: string;
  readonly reason: string;
  readonly status: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly last_used_at: string | null;
}

export async function support(visit: Visit, ask: Ask, draft: Draft = BLANK, status = 200): Promise<Shown> {
  const answer = await visit.api.get<ListOf<Grant>>(`${visit.org}/support-grants?limit=200`);
  if (answer.body === null) return refusedPage(answer, UNDER);
  const content = (
    <>
      <Head
        title="Support access"
        about="Lets our support in, for a reason, for a time, and to read only. Every request of theirs is in your audit trail, refused ones too."
      />
      <Notice ask={ask} />
      <Problems draft={draft} />
      <Card bare>
        {answer.body.data.length === 0 ? (
          <Empty icon="support" title="Nobody from support can come in">
            Open a grant when you ask for help; it ends by itself.
          </Empty>
        ) : (
          <Table label="Support grants" columns={COLUMNS}>
            {answer.body.data.map((grant) => (
              <GrantRow visit={visit} grant={grant} />
            ))}
          </Table>
        )}
      </Card>
      <Card title="Open a grant" note="It never widens: for more, open another.">
        <Form action={UNDER} csrf={visit.visitor.csrf} once={visit.once()}>
          <TextField
            name="reason"
            label="Reason"
            required
            draft={draft}
            placeholder="Ticket 4411: a run was charged twice"
          />
          <div class="pair">
            <SelectField
              name="scope"
              label="May read"
              required
              draft={draft}
              options={[
                ["runs_debug", "Runs and what decided them"],
                ["billing_read", "Spending and limits"],
                ["read_only", "Everything a viewer reads"],
              ]}
            />
            <SelectField
              name="expires_in_seconds"
              label="For"
              required
              draft={draft}
              options={[
                ["3600", "1 hour"],
                ["14400", "4 hours"],
                ["86400", "1 day"],
                ["604800", "1 week"],
              ]}
            />
          </div>
          <div>
            <button class="primary" type="submit">
              Open grant
            </button>
          </div>
        </Form>
      </Card>
    </>
  );
  return show("Support access", UNDER, content, status);
}

function GrantRow({ visit, grant }: { visit: Visit; grant: Grant }) {
  return (
    <tr>
      <td>
        {grant.reason}
        <span class="sub mono">{grant.id}</span>
      </td>
      <td>{grant.scope.replaceAll("_", " ")}</td>
      <td>
        <Status is={grant.status} />
      </td>
      <td class="nowrap">{moment(grant.created_at)}</td>
      <td class="nowrap">{moment(grant.expires_at)}</td>
      <td class="nowrap">{grant.last_used_at ? moment(grant.last_used_at) : "Never"}</td>
      <td>
        {grant.status === "active" && (
          <ActionButton
            csrf={visit.visitor.csrf}
            once={visit.once()}
            action={`${UNDER}/${grant.id}/close`}
            label="End"
            about={`End the grant: ${grant.reason}`}
            danger
          />
        )}
      </td>
    </tr>
  );
}

export function openGrant(visit: Visit, ask: Ask): Promise<Shown> {
  const body = bodyOf(ask.form, { scope: "text", reason: "text", expires_in_seconds: "integer" });
  const request = { method: "POST", path: `${visit.org}/support-grants`, body } as const;
  return submit(
    visit,
    ask,
    request,
    () => noticeAt(UNDER, "created"),
    (draft, status) => support(visit, ask, draft, status),
  );
}

export function closeGrant(visit: Visit, ask: Ask): Promise<Shown> {
  return act(
    visit,
    ask,
    ["DELETE", `${visit.org}/support-grants/${ask.params["id"]}`, null],
    [UNDER, "closed"],
  );
}
