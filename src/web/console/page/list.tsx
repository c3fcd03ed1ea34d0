import type { Child } from "hono/jsx";
import { ActionButton } from "../view/form.tsx";
import { Notice } from "../view/notice.tsx";
import { Card, Empty, Head, Pager } from "../view/parts.tsx";
import { type Column, Table } from "../view/table.tsx";
import {
  type Ask,
  listPath,
  type ListOf,
  pagesOf,
  reaches,
  sealOf,
  show,
  type Shown,
  type Visit,
} from "../visit.ts";
import { refusedPage } from "./refused.tsx";
import { type Action, hasPage, type Resource } from "./resource.ts";

export async function listPage<T>(resource: Resource<T>, visit: Visit, ask: Ask): Promise<Shown> {
  const { path, title } = resource;
  const answer = await visit.api.get<ListOf<T>>(listPath(`${visit.org}/${resource.api}`, ask.query, []));
  if (answer.body === null) return refusedPage(answer, path);
  const { data, next_cursor: next } = answer.body;
  const content = (
    <>
      <Head title={title} about={resource.about}>
        {data.length > 0 && createLink(resource, visit)}
      </Head>
      <Notice ask={ask} />
      <Card bare>
        {data.length === 0 ? (
          <Empty icon={resource.icon} title={resource.empty[0]} action={createLink(resource, visit)}>
            {resource.empty[1]}
          </Empty>
        ) : (
          <Table label={title} columns={columnsOf(resource, visit)} rows={data} />
        )}
        <Pager {...pagesOf(path, ask.query, next)} />
      </Card>
    </>
  );
  return show(title, path, content);
}

function createLink<T>({ create, path, role }: Resource<T>, visit: Visit): Child {
  if (create === undefined || !reaches(visit, role)) return null;
  return (
    <a class="button primary" href={`${path}/new`}>
      {create.title}
    </a>
  );
}

/** The name first, with a link where one of them has a page; what can be done with it last. */
function columnsOf<T>(resource: Resource<T>, visit: Visit): readonly Column<T>[] {
  const { one, actions = [] } = resource;
  const name: Column<T> = {
    title: one.charAt(0).toUpperCase() + one.slice(1),
    cell: (row) => (
      <>
        {hasPage(resource) ? (
          <a href={`${resource.path}/${encodeURIComponent(resource.idOf(row))}`}>{resource.nameOf(row)}</a>
        ) : (
          <strong>{resource.nameOf(row)}</strong>
        )}
        {resource.subOf && <span class="sub">{resource.subOf(row)}</span>}
      </>
    ),
  };
  const listed = actions.filter(({ inList }) => inList);
  if (listed.length === 0 || !reaches(visit, resource.role)) return [name, ...resource.columns];
  const buttons: Column<T> = {
    title: "Actions",
    kind: "actions",
    cell: (row) => <div class="inline">{listed.map((action) => button(resource, action, visit, row))}</div>,
  };
  return [name, ...resource.columns, buttons];
}

export function button<T>(resource: Resource<T>, action: Action<T>, visit: Visit, row: T): Child {
  if (action.isFor?.(row) === false) return null;
  const confirm = action.confirm?.(row);
  return (
    <ActionButton
      action={`${resource.path}/${encodeURIComponent(resource.idOf(row))}/${action.name}`}
      seal={sealOf(visit)}
      label={action.label}
      about={`${action.label} ${resource.nameOf(row)}`}
      {...(confirm === undefined ? {} : { confirm })}
    />
  );
}
