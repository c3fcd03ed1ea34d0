import type { OverviewEntry } from "../../../contract/resources/admin-overview.ts";
import { count, formatMoment, percent } from "../../console/view/format.ts";
import { Usd } from "../../console/view/money.tsx";
import { Notice } from "../../console/view/notice.tsx";
import { Badge, Card, Empty, Head, Pager, Status } from "../../console/view/parts.tsx";
import { type Column, Table } from "../../console/view/table.tsx";
import {
  type Answer,
  type PageRequest,
  listPath,
  pagesOf,
  show,
  type PageResponse,
} from "../../console/visit.ts";
import { Sparkline } from "../../console/view/sparkline.tsx";
import { pathFor } from "../../console/view/table-order.ts";
import { IMPORT_PATH } from "./import.tsx";
import { PlatformTiles, readPlatformState } from "../platform-state.tsx";
import { unreadPage } from "../../console/page/refusal-page.tsx";
import type { OperatorVisit } from "../visit.ts";

const UNDER = "/operator";

interface OverviewPage {
  readonly data: readonly OverviewEntry[];
  readonly next_cursor: string | null;
  readonly unavailable_regions: readonly string[];
}

/** All organizations, or those whose name or id is searched for. */
export async function listOrganizations(visit: OperatorVisit, ask: PageRequest): Promise<PageResponse> {
  const sought = ask.query.get("q")?.trim() ?? "";
  if (/^org_[0-9A-HJKMNP-TV-Z]{26}$/.test(sought)) return { redirect: `${UNDER}/orgs/${sought}` };
  const answer =
    sought === ""
      ? await visit.api.get<OverviewPage>(inOrder(ask.query))
      : await found(visit, sought, ask.query.get("cursor") ?? "");
  if (answer.body === null) return unreadPage(answer, UNDER, UNDER);
  const state = sought === "" && (await readPlatformState(visit));
  const { data, next_cursor, unavailable_regions: silent } = answer.body;
  const about =
    sought === "" ? "Every organization of the platform." : `Organizations with “${sought}” in their name.`;
  const content = (
    <>
      <Head title="Organizations" about={about}>
        <a class="button" href={IMPORT_PATH}>
          Import a backup
        </a>
        <a class="button primary" href={`${UNDER}/orgs/new`}>
          Create organization
        </a>
      </Head>
      <Notice ask={ask} />
      {state && <PlatformTiles of={state} />}
      {silent.length > 0 && (
        <div class="notice bad" role="status">
          These regions did not answer, so their organizations are missing: {silent.join(", ")}.
        </div>
      )}
      {sought === "" && <Sorts by={ask.query.get("sort") ?? SORTS[0][0]} />}
      <Card bare>
        {data.length > 0 ? (
          <Table label={LABEL} columns={COLUMNS} rows={data} hasFilters />
        ) : (
          <Empty icon="overview" title={sought === "" ? "No organizations" : "Nothing matches"}>
            {sought === "" ? "Create the first one." : "Search for another name or id."}
          </Empty>
        )}
        {sought !== "" && next_cursor !== null && (
          <p class="note-line">
            {count(SEARCHED)} organizations were searched, in the order of their names. The next page searches
            the others.
          </p>
        )}
        {data.length > 0 && <p class="note-line">{COUNTED}</p>}
        <Pager {...pagesOf(UNDER, ask.query, next_cursor)} />
      </Card>
    </>
  );
  return show("Organizations", UNDER, content);
}

const LABEL = "Organizations";
const COUNTED =
  "Calls are of the last 60 minutes, by minute, and are counted in memory: what a counter knew before it restarted is missing. The slowest is the longest that a call waited, without its compute time.";

function inOrder(query: URLSearchParams): string {
  return pathFor(listPath("/v1/admin/overview", query, [], "-month_to_date_usd"), query, LABEL);
}

const SORTS = [
  ["-month_to_date_usd", "Most spent"],
  ["-calls_per_minute", "Busiest"],
  ["-refusals", "Refused"],
  ["-errors", "Errors"],
  ["-slowest", "Slowest"],
  ["-plan_use", "Plan use"],
  ["-last_call_at", "Last call"],
  ["-failing_webhooks", "Failing webhooks"],
  ["-deprecated_callers", "Deprecated callers"],
  ["-open_support_grants", "Support grants"],
  ["name", "Name"],
] as const;

function Sorts({ by }: { by: string }) {
  return (
    <nav class="tabs" aria-label="Sort by">
      {SORTS.map(([sort, title]) => (
        <a
          href={`${UNDER}?${new URLSearchParams({ sort })}`}
          {...(sort === by ? { "aria-current": "true" } : {})}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}

const PAGE = 200;
const MOST_PAGES = 25;
const SEARCHED = PAGE * MOST_PAGES;

/** Looks through the organizations by name. What is beyond the bound is on the next page. */
async function found(visit: OperatorVisit, sought: string, from: string): Promise<Answer<OverviewPage>> {
  const data: OverviewEntry[] = [];
  const silent = new Set<string>();
  let cursor: string | null = from;
  for (let page = 0; page < MOST_PAGES && cursor !== null; page += 1) {
    const query: URLSearchParams = new URLSearchParams({
      sort: "name",
      limit: String(PAGE),
      ...(cursor === "" ? {} : { cursor }),
    });
    const answer: Answer<OverviewPage> = await visit.api.get<OverviewPage>(`/v1/admin/overview?${query}`);
    if (answer.body === null) return answer;
    data.push(...answer.body.data.filter(({ name }) => name.toLowerCase().includes(sought.toLowerCase())));
    for (const region of answer.body.unavailable_regions) silent.add(region);
    cursor = answer.body.next_cursor;
  }
  const body = { data, next_cursor: cursor, unavailable_regions: [...silent] };
  return { status: 200, body, error: null, trace: null };
}

const COLUMNS: readonly Column<OverviewEntry>[] = [
  {
    title: "Organization",
    cell: ({ org_id, name, environment, status }) => (
      <>
        <a href={`${UNDER}/orgs/${org_id}`}>{name}</a>{" "}
        {environment === "test" && <Badge tone="plain">test</Badge>}{" "}
        {status === "suspended" && <Status is={status} />}
        <span class="sub mono">{org_id}</span>
      </>
    ),
  },
  { title: "This month", kind: "number", cell: ({ month_to_date_usd }) => <Usd of={month_to_date_usd} /> },
  {
    title: "Plan",
    cell: ({ plan, plan_use }) => (
      <>
        {plan}
        {plan_use !== null && <span class="sub number">{percent(plan_use)} used</span>}
      </>
    ),
  },
  {
    title: "Calls",
    kind: "number",
    cell: ({ calls_per_minute, last_hour }) => (
      <>
        <ByMinute of={last_hour?.calls} label="Calls" />
        {calls_per_minute > 0 && <span class="sub">{count(calls_per_minute)} in the last minute</span>}
      </>
    ),
  },
  {
    title: "Refused",
    kind: "number",
    cell: ({ last_hour }) => <ByMinute of={last_hour?.refusals} label="Refused" />,
  },
  {
    title: "Errors",
    kind: "number",
    cell: ({ last_hour }) => <ByMinute of={last_hour?.errors} label="Errors" />,
  },
  {
    title: "Slowest",
    kind: "number",
    cell: ({ last_hour }) => (last_hour === null ? "–" : `${count(last_hour.slowest_wait_ms)} ms`),
  },
  { title: "Last call", kind: "moment", cell: ({ last_call_at }) => formatMoment(last_call_at) },
  { title: "Attention", cell: attention },
];

/** How many in an hour, and in which of its minutes. */
function ByMinute({ of, label }: { of: readonly number[] | undefined; label: string }) {
  if (of === undefined) return <>–</>;
  const sum = of.reduce((total, one) => total + one, 0);
  return (
    <>
      {count(sum)}
      {sum > 0 && <Sparkline of={of} label={`${label} by minute`} />}
    </>
  );
}

/** Shows what somebody should look at. */
function attention(row: OverviewEntry) {
  const counts = [
    [row.failing_webhooks, "failing webhook", "failing webhooks", "warn"],
    [row.deprecated_callers, "deprecated caller", "deprecated callers", "warn"],
    [row.open_support_grants, "support grant", "support grants", "accent"],
  ] as const;
  const shown = counts.filter(([many]) => many > 0);
  if (shown.length === 0) return <span class="quiet">–</span>;
  return (
    <ul class="badges">
      {shown.map(([many, one, several, tone]) => (
        <li>
          <Badge tone={tone}>
            {count(many)} {many === 1 ? one : several}
          </Badge>
        </li>
      ))}
    </ul>
  );
}
