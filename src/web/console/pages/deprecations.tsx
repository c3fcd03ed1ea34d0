import { count, day } from "../view/format.ts";
import type { DeprecatedCalls } from "../../../contract/resources/deprecated-calls.ts";
import type { DeprecationEntry } from "../../../contract/resources/deprecations.ts";
import { type NameOf, readNames } from "../names.ts";
import { pageOf } from "../view/links.ts";
import { Card, Empty, Head } from "../view/parts.tsx";
import { type Column, Table } from "../view/table.tsx";
import { UnreadFigure } from "../view/unread.tsx";
import { type Answer, show, type PageResponse, type Visit } from "../visit.ts";
import { unreadPage } from "../page/refusal-page.tsx";

const UNDER = "/console/deprecations";
export async function listDeprecations(visit: Visit): Promise<PageResponse> {
  const [answer, callers] = await Promise.all([
    visit.api.get<readonly DeprecationEntry[]>("/v1/meta/deprecations"),
    visit.api.get<DeprecatedCalls>(`${visit.org}/deprecated-calls`),
  ]);
  if (answer.body === null) return unreadPage(answer, UNDER);
  const nameOf = await readNames(visit, callers.body?.data.map(({ key_id }) => key_id) ?? []);
  const content = (
    <>
      <Head
        title="Deprecations"
        about="Deprecated routes, the earliest date each may be removed, and which of your keys still call them."
      />
      <Card bare>
        {answer.body.length === 0 ? (
          <Empty icon="deprecations" title="No deprecated routes">
            None of the routes you can call is deprecated.
          </Empty>
        ) : (
          <Table label="Deprecated routes" columns={columns(callers, nameOf)} rows={answer.body} />
        )}
      </Card>
    </>
  );
  return show("Deprecations", UNDER, content);
}

const operationOf = ({ method, route }: DeprecationEntry) => `${method} ${route}`;

function columns(callers: Answer<DeprecatedCalls>, nameOf: NameOf): readonly Column<DeprecationEntry>[] {
  return [
    {
      title: "Route",
      cell: (entry) => (
        <a class="mono" href={entry.documentation}>
          {operationOf(entry)}
        </a>
      ),
    },
    {
      title: "Since",
      kind: "moment",
      cell: ({ since }) => `${day(since)} ${since.slice(0, 4)}`,
    },
    {
      title: "Sunset",
      kind: "moment",
      cell: ({ sunset }) => sunset.replace(/^\w+, | \d\d:\d\d:\d\d GMT$/g, ""),
    },
    { title: "Use instead", cell: ({ replacement }) => <code>{replacement ?? "–"}</code> },
    {
      title: "Still called by",
      cell: (entry) =>
        callers.body === null ? (
          <UnreadFigure of={callers} />
        ) : (
          callersShown(
            callers.body.data.filter(({ method, route }) => `${method} ${route}` === operationOf(entry)),
            nameOf,
          )
        ),
    },
  ];
}

function callersShown(own: DeprecatedCalls["data"], nameOf: NameOf) {
  if (own.length === 0) return <span class="quiet">None of your keys</span>;
  return own.map(({ key_id, calls, last_called_at }) => (
    <span class="sub">
      <a href={pageOf(key_id)} title={key_id}>
        {nameOf(key_id)}
      </a>
      : {count(calls)} {calls === 1 ? "call" : "calls"}, last {day(last_called_at)}
    </span>
  ));
}
