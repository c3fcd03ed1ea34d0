import { moment } from "../view/format.ts";
import { ActionButton } from "../view/form.tsx";
import { Notice } from "../view/notice.tsx";
import { Card, Empty, Head, Pager, Status, Table } from "../view/parts.tsx";
import { type Ask, listPath, type ListOf, pagesOf, show, type Shown, type Visit } from "../visit.ts";
import { act } from "./act.ts";
import { refusedPage } from "./refused.tsx";

const UNDER = "/console/approvals";
const COLUMNS = [
  { title: "Attempted" },
  { title: "Why" },
  { title: "Asked" },
  { title: "State" },
  { title: "Actions", hidden: true },
];

interface Approval {
  readonly id: string;
  readonly status: string;
  readonly rule_id: string;
  readonly attempted: string;
  readonly reason: string;
  readonly requested_at: string;
  readonly requested_by: string;
  readonly expires_at: string | null;
}

export async function listApprovals(visit: Visit, ask: Ask): Promise<Shown> {
  const answer = await visit.api.get<ListOf<Approval>>(
    listPath(`${visit.org}/approvals`, ask.query, ["status"]),
  );
  if (answer.body === null) return refusedPage(answer, UNDER);
  const content = (
    <>
      <Head
        title="Approvals"
        about="Attempts that a policy holds until somebody decides. An approval lets the same attempt pass, once."
      />
      <Notice ask={ask} />
      <Card bare>
        {answer.body.data.length === 0 ? (
          <Empty
            icon="approvals"
            title="Nothing waits"
            action={
              <a class="button" href="/console/policies">
                See the policies
              </a>
            }
          >
            When a rule with the effect “require approval” stops a run, the request appears here.
          </Empty>
        ) : (
          <Table label="Approvals" columns={COLUMNS}>
            {answer.body.data.map((approval) => (
              <ApprovalRow visit={visit} approval={approval} />
            ))}
          </Table>
        )}
        <Pager {...pagesOf(UNDER, ask.query, answer.body.next_cursor)} />
      </Card>
    </>
  );
  return show("Approvals", UNDER, content);
}

function ApprovalRow({ visit, approval }: { visit: Visit; approval: Approval }) {
  const form = { csrf: visit.visitor.csrf };
  return (
    <tr>
      <td>
        <strong>{approval.attempted}</strong>
        <span class="sub mono">{approval.id}</span>
      </td>
      <td>
        {approval.reason}
        <span class="sub mono">{approval.rule_id}</span>
      </td>
      <td class="nowrap">
        {moment(approval.requested_at)}
        <span class="sub">until {moment(approval.expires_at)}</span>
      </td>
      <td>
        <Status is={approval.status} />
      </td>
      <td>
        {approval.status === "pending" && (
          <div class="inline">
            <ActionButton
              {...form}
              once={visit.once()}
              action={`${UNDER}/${approval.id}/approve`}
              label="Approve"
              about={`Approve ${approval.attempted}`}
            />
            <ActionButton
              {...form}
              once={visit.once()}
              action={`${UNDER}/${approval.id}/deny`}
              label="Deny"
              about={`Deny ${approval.attempted}`}
              danger
            />
          </div>
        )}
      </td>
    </tr>
  );
}

export function approve(visit: Visit, ask: Ask): Promise<Shown> {
  return act(
    visit,
    ask,
    ["POST", `${visit.org}/approvals/${ask.params["id"]}/approve`, {}],
    [UNDER, "approved"],
  );
}

export function deny(visit: Visit, ask: Ask): Promise<Shown> {
  return act(visit, ask, ["POST", `${visit.org}/approvals/${ask.params["id"]}/deny`, {}], [UNDER, "denied"]);
}
