import type { Org } from "../../../contract/resources/orgs.ts";
import type { SupportGrant } from "../../../contract/resources/support.ts";
import type { PlanInUse } from "../../../contract/resources/plans.ts";
import { type Method, submit } from "../../console/page/act.ts";
import { BLANK, bodyOf, type FormValues, type Field, type Option } from "../../console/view/field.ts";
import { count, formatMoment } from "../../console/view/format.ts";
import { ActionButton } from "../../console/view/form.tsx";
import { Usd } from "../../console/view/money.tsx";
import { Notice, noticeAt, type NoticeName } from "../../console/view/notice.tsx";
import { Card, type Fact, Facts, Head, Status } from "../../console/view/parts.tsx";
import { Table } from "../../console/view/table.tsx";
import { type PageRequest, type ListOf, formGuardOf, show, type PageResponse } from "../../console/visit.ts";
import { refusedPage, unreadPage } from "../../console/page/refusal-page.tsx";
import type { OperatorVisit } from "../visit.ts";
import {
  ChangeCard,
  changeFields,
  PREPAY_FIELDS,
  PrepaidCard,
  TOP_UP_FIELDS,
} from "./organization-forms.tsx";

const UNDER = "/operator";

interface Quota {
  readonly balance_usd: string;
  readonly available_usd: string;
}

type FormPart = "change" | "prepaid";

/** A form that was refused, with what was typed and what is wrong with it. */
interface RefusedForm {
  readonly part: FormPart;
  readonly draft: FormValues;
  readonly status: number;
}

export function showOrganization(visit: OperatorVisit, ask: PageRequest): Promise<PageResponse> {
  return organizationPage(visit, ask, null);
}

async function organizationPage(
  visit: OperatorVisit,
  ask: PageRequest,
  refused: RefusedForm | null,
): Promise<PageResponse> {
  const id = ask.params["id"] ?? "";
  const org = `/v1/orgs/${encodeURIComponent(id)}`;
  const answer = await visit.api.get<Org>(`/v1/admin/orgs/${encodeURIComponent(id)}`);
  if (answer.body === null) return unreadPage(answer, UNDER, UNDER);
  const [plan, quota, grants, plans] = await Promise.all([
    visit.api.get<PlanInUse>(`${org}/plan`),
    visit.api.get<Quota>(`${org}/quota`),
    visit.api.get<ListOf<SupportGrant>>(`${org}/support-grants?limit=50`),
    visit.api.get<ListOf<{ plan: string }>>("/v1/admin/plans?limit=200"),
  ]);
  const draftOf = (part: FormPart, otherwise: FormValues) =>
    refused?.part === part ? refused.draft : otherwise;
  const { body } = answer;
  const path = `${UNDER}/orgs/${body.id}`;
  const content = (
    <>
      <Head title={body.name} about={<span class="mono">{body.id}</span>}>
        <a class="button" href={`${path}/data`}>
          Backup, restore and move
        </a>
        {body.status === "active" ? (
          <ActionButton
            action={`${path}/suspend`}
            guard={formGuardOf(visit)}
            label="Suspend"
            about={`Suspend ${body.name}`}
            confirm="All calls of this organization are refused until it is resumed."
          />
        ) : (
          <ActionButton
            action={`${path}/resume`}
            guard={formGuardOf(visit)}
            label="Resume"
            about={`Resume ${body.name}`}
          />
        )}
      </Head>
      <Notice ask={ask} />
      <Card title="Standing">
        <Facts of={factsOf(body, plan.body, quota.body)} />
      </Card>
      <ChangeCard
        path={path}
        visit={visit}
        plans={plansWith(body.plan, plans.body)}
        draft={draftOf("change", { ...BLANK, values: { name: body.name, plan: body.plan } })}
      />
      <PrepaidCard
        path={path}
        visit={visit}
        name={body.name}
        isPrepaid={quota.body !== null}
        draft={draftOf("prepaid", BLANK)}
      />
      <Grants visit={visit} path={path} of={grants.body?.data ?? []} />
    </>
  );
  return show(body.name, UNDER, content, refused?.status ?? 200);
}

/** Its own plan may have been removed. A list that goes on is not offered, because it lacks plans. */
function plansWith(own: string, listed: ListOf<{ plan: string }> | null): Option[] {
  if (listed === null || listed.next_cursor !== null) return [];
  const names = new Set([own, ...listed.data.map(({ plan }) => plan)]);
  return Array.from(names, (name) => [name, name]);
}

function used(number: number, limit: number | null): string {
  return limit === null ? `${count(number)} (unlimited)` : `${count(number)} of ${count(limit)}`;
}

function factsOf(org: Org, plan: PlanInUse | null, quota: Quota | null): Fact[] {
  return [
    ["Status", <Status is={org.status} />],
    ["Environment", org.environment],
    ["Home region", org.home_region],
    ["Created", formatMoment(org.created_at)],
    ["Runs recorded this month", plan === null ? "unknown" : used(plan.runs_used, plan.runs_limit)],
    ["Tokens recorded this month", plan === null ? "unknown" : used(plan.tokens_used, plan.tokens_limit)],
    ["Counted", "When it is reported, whenever the run started"],
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
          { title: "Expires", kind: "moment", cell: ({ expires_at }) => formatMoment(expires_at) },
          {
            title: "Enter",
            kind: "actions",
            cell: ({ id, status }) =>
              status === "active" && (
                <ActionButton
                  action={`${path}/enter/${id}`}
                  guard={formGuardOf(visit)}
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

interface Action {
  readonly method: Method;
  readonly path: (id: string) => string;
  readonly fields?: readonly Field[];
  /** The form that shows a refusal. An action without one has a page for it. */
  readonly part?: FormPart;
  readonly notice: NoticeName;
}

/** Posts to the API and returns to the organization's page. */
function acting({ method, path: apiPath, fields = [], part, notice }: Action) {
  return (visit: OperatorVisit, ask: PageRequest): Promise<PageResponse> => {
    const id = encodeURIComponent(ask.params["id"] ?? "");
    const path = `${UNDER}/orgs/${id}`;
    const body = part === undefined ? null : bodyOf(ask.form, fields);
    return submit(visit, ask, {
      request: { method, path: apiPath(id), body },
      fields,
      done: () => noticeAt(path, notice),
      again: (draft, answer) =>
        part === undefined
          ? refusedPage(answer, UNDER, path)
          : organizationPage(visit, ask, { part, draft, status: answer.status }),
    });
  };
}

export const suspendOrganization = acting({
  method: "POST",
  path: (id) => `/v1/admin/orgs/${id}/suspend`,
  notice: "suspended",
});
export const resumeOrganization = acting({
  method: "POST",
  path: (id) => `/v1/admin/orgs/${id}/resume`,
  notice: "resumed",
});
export const changeOrganization = acting({
  method: "PATCH",
  path: (id) => `/v1/admin/orgs/${id}`,
  fields: changeFields([]),
  part: "change",
  notice: "saved",
});
export const prepayOrganization = acting({
  method: "PUT",
  path: (id) => `/v1/orgs/${id}/quota`,
  fields: PREPAY_FIELDS,
  part: "prepaid",
  notice: "prepaid",
});
export const stopPrepaying = acting({
  method: "DELETE",
  path: (id) => `/v1/orgs/${id}/quota`,
  notice: "not_prepaid",
});
export const topUpOrganization = acting({
  method: "POST",
  path: (id) => `/v1/orgs/${id}/quota/top-ups`,
  fields: TOP_UP_FIELDS,
  part: "prepaid",
  notice: "topped_up",
});
