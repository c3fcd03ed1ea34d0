import type { SupportGrant } from "../../../contract/resources/support.ts";
import type { PlanInUse } from "../../../contract/resources/plans.ts";
import { count, moment } from "../../console/view/format.ts";
import { ActionButton } from "../../console/view/form.tsx";
import { Usd } from "../../console/view/money.tsx";
import { Notice, noticeAt } from "../../console/view/notice.tsx";
import { Card, type Fact, Facts, Head, Status } from "../../console/view/parts.tsx";
import { Table } from "../../console/view/table.tsx";
import { type Ask, type ListOf, sealOf, show, type Shown } from "../../console/visit.ts";
import { refusedPage } from "../../console/page/refused.tsx";
import type { OperatorVisit } from "../visit.ts";
import { Change, TopUp } from "./organization-forms.tsx";

const UNDER = "/operator";

interface Org {
  readonly id: string;
  readonly name: string;
  readonly status: "active" | "suspended";
  readonly plan: string;
  readonly environment: string;
  readonly home_region: string;
  readonly created_at: string;
}

interface Quota {
  readonly balance_usd: string;
  readonly available_usd: string;
}

export async function showOrganization(visit: OperatorVisit, ask: Ask): Promise<Shown> {
  const id = ask.params["id"] ?? "";
  const org = `/v1/orgs/${encodeURIComponent(id)}`;
  const answer = await visit.api.get<Org>(`/v1/admin/orgs/${encodeURIComponent(id)}`);
  if (answer.body === null) return refusedPage(answer, UNDER, UNDER);
  const [plan, quota, grants] = await Promise.all([
    visit.api.get<PlanInUse>(`${org}/plan`),
    visit.api.get<Quota>(`${org}/quota`),
    visit.api.get<ListOf<SupportGrant>>(`${org}/support-grants?limit=50`),
  ]);
  const { body } = answer;
  const path = `${UNDER}/orgs/${body.id}`;
  const content = (
    <>
      <Head title={body.name} about={<span class="mono">{body.id}</span>}>
        {body.status === "active" ? (
          <ActionButton
            action={`${path}/suspend`}
            seal={sealOf(visit)}
            label="Suspend"
            about={`Suspend ${body.name}`}
            confirm="All calls of this organization are refused until it is resumed."
          />
        ) : (
          <ActionButton
            action={`${path}/resume`}
            seal={sealOf(visit)}
            label="Resume"
            about={`Resume ${body.name}`}
          />
        )}
      </Head>
      <Notice ask={ask} />
      <Card title="Standing">
        <Facts of={factsOf(body, plan.body, quota.body)} />
      </Card>
      <Card title="Plan and name">
        <Change path={path} seal={sealOf(visit)} name={body.name} plan={body.plan} />
      </Card>
      <Card title="Prepaid balance">
        <TopUp path={path} seal={sealOf(visit)} isPrepaid={quota.body !== null} />
      </Card>
      <Grants visit={visit} path={path} of={grants.body?.data ?? []} />
    </>
  );
  return show(body.name, UNDER, content);
}

function used(number: number, limit: number | null): string {
  return `${count(number)} of ${limit === null ? "unlimited" : count(limit)}`;
}

function factsOf(org: Org, plan: PlanInUse | null, quota: Quota | null): Fact[] {
  return [
    ["Status", <Status is={org.status} />],
    ["Environment", org.environment],
    ["Home region", org.home_region],
    ["Created", moment(org.created_at)],
    ["Runs this month", plan === null ? "unknown" : used(plan.runs_used, plan.runs_limit)],
    ["Tokens this month", plan === null ? "unknown" : used(plan.tokens_used, plan.tokens_limit)],
    ["Prepaid", quota === null ? "no" : <Usd of={quota.available_usd} />],
  ];
}

/** Support looks inside only under a grant of the organization's own. */
function Grants({ visit, path, of }: { visit: OperatorVisit; path: string; of: readonly SupportGrant[] }) {
  if (of.length === 0) {
    return (
      <Card title="Support grants">
        <p class="quiet">
          None. An owner of the organization can open one in its console, under Support access.
        </p>
      </Card>
    );
  }
  return (
    <Card title="Support grants" bare>
      <Table
        label="Support grants"
        columns={[
          { title: "Reason", cell: ({ reason }) => reason },
          { title: "Scope", cell: ({ scope }) => <code>{scope}</code> },
          { title: "Status", cell: ({ status }) => <Status is={status} /> },
          { title: "Expires", kind: "moment", cell: ({ expires_at }) => moment(expires_at) },
          {
            title: "Enter",
            kind: "actions",
            cell: ({ id, status }) =>
              status === "active" && (
                <ActionButton
                  action={`${path}/enter/${id}`}
                  seal={sealOf(visit)}
                  label="Enter"
                  about={`Enter under grant ${id}`}
                />
              ),
          },
        ]}
        rows={of}
      />
    </Card>
  );
}

/** Posts to the API and returns to the organization's page. */
function acting(
  method: "POST" | "PUT" | "PATCH",
  apiPath: (id: string) => string,
  bodyOf: (form: URLSearchParams) => object | null,
) {
  return async (visit: OperatorVisit, ask: Ask): Promise<Shown> => {
    const id = encodeURIComponent(ask.params["id"] ?? "");
    const once = ask.form.get("_once") ?? visit.once();
    const answer = await visit.api.send(method, apiPath(id), bodyOf(ask.form), once);
    const path = `${UNDER}/orgs/${id}`;
    return answer.error === null ? noticeAt(path, "saved") : refusedPage(answer, UNDER, path);
  };
}

function given(form: URLSearchParams, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = form.get(name)?.trim() ?? "";
      return value === "" ? [] : [[name, value] as const];
    }),
  );
}

export const suspendOrganization = acting(
  "POST",
  (id) => `/v1/admin/orgs/${id}/suspend`,
  () => null,
);
export const resumeOrganization = acting(
  "POST",
  (id) => `/v1/admin/orgs/${id}/resume`,
  () => null,
);
export const changeOrganization = acting(
  "PATCH",
  (id) => `/v1/admin/orgs/${id}`,
  (form) => given(form, ["name", "plan"]),
);
export const prepayOrganization = acting(
  "PUT",
  (id) => `/v1/orgs/${id}/quota`,
  (form) => given(form, ["low_balance_usd"]),
);
export const topUpOrganization = acting(
  "POST",
  (id) => `/v1/orgs/${id}/quota/top-ups`,
  (form) => given(form, ["amount_usd"]),
);
