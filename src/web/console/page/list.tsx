import type { Child } from "hono/jsx";
import { Later } from "../../later.tsx";
import { ActionButton } from "../view/form.tsx";
import { Filters, isFiltered } from "../view/filters.tsx";
import { Notice } from "../view/notice.tsx";
import { Card, Empty, Head, Pager } from "../view/parts.tsx";
import { pathFor } from "../view/table-order.ts";
import { type Column, Table } from "../view/table.tsx";
import { Listed } from "../view/unread.tsx";
import {
  type PageRequest,
  listPath,
  type ListOf,
  pagesOf,
  hasRole,
  formGuardOf,
  show,
  type ShownPage,
  type Visit,
} from "../visit.ts";
import { unreadPage } from "./refusal-page.tsx";
import { type Action, hasPage, type Resource } from "./resource.ts";
import { showLater } from "./show-later.tsx";

export async function listPage<T>(resource: Resource<T>, visit: Visit, ask: PageRequest): Promise<ShownPage> {
  const read = () => readPage(resource, visit, ask);
  return resource.takesLong === true ? showLater(resource.title, resource.path, read) : read();
}

async function readPage<T>(resource: Resource<T>, visit: Visit, ask: PageRequest): Promise<ShownPage> {
  const { path, title, filters = [] } = resource;
  const names = filters.map(({ name }) => name);
  const at = listPath(`${visit.org}/${resource.api}`, ask.query, names, resource.sort);
  const filtered = isFiltered(filters, ask.query);
  const answer = await visit.api.get<ListOf<T>>(pathFor(at, ask.query, title));
  if (answer.body === null && !filtered) return unreadPage(answer, path);
  const rows = answer.body?.data ?? [];
  const hasFilters = filters.length > 0;
  const more = rows.length === 0 ? [] : ((await resource.moreColumns?.(visit, rows)) ?? []);
  const content = (
    <>
      <Head title={title} about={resource.about}>
        {(rows.length > 0 || filtered) && createLink(resource, visit)}
      </Head>
      <Notice ask={ask} />
      <Card bare>
        {hasFilters && (rows.length > 0 || filtered) && (
          <Filters path={path} of={filters} query={ask.query} answer={answer} />
        )}
        <Listed
          answer={answer}
          rows={rows}
          icon={resource.icon}
          path={path}
          isFiltered={filtered}
          empty={
            <Empty icon={resource.icon} title={resource.empty[0]} action={createLink(resource, visit)}>
              {resource.empty[1]}
            </Empty>
          }
        >
          {() => (
            <Table
              label={title}
              columns={columnsOf(resource, visit, more)}
              rows={rows}
              idOf={(row) => resource.idOf(row)}
              hasFilters={hasFilters}
            />
          )}
        </Listed>
        <Pager {...pagesOf(path, ask.query, answer.body?.next_cursor ?? null)} />
      </Card>
      {resource.belowList !== undefined && <Later read={async () => resource.belowList?.(visit, ask)} />}
    </>
  );
  return show(title, path, content, answer.status);
}

function createLink<T>({ create, path, role }: Resource<T>, visit: Visit): Child {
  if (create === undefined || !hasRole(visit, role)) return null;
  return (
    <a class="button primary" href={`${path}/new`}>
      {create.title}
    </a>
  );
}

/** The name comes first, linked if the item has a page; the actions come last. */
function columnsOf<T>(resource: Resource<T>, visit: Visit, more: readonly Column<T>[]): readonly Column<T>[] {
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
  const columns = [name, ...resource.columns, ...more];
  if (listed.length === 0 || !hasRole(visit, resource.role)) return columns;
  const buttons: Column<T> = {
    title: "Actions",
    kind: "actions",
    cell: (row) => <div class="inline">{listed.map((action) => button(resource, action, visit, row))}</div>,
  };
  return [...columns, buttons];
}

export function button<T>(resource: Resource<T>, action: Action<T>, visit: Visit, row: T): Child {
  if (action.isFor?.(row) === false) return null;
  const confirm = action.confirm?.(row);
  return (
    <ActionButton
      action={`${resource.path}/${encodeURIComponent(resource.idOf(row))}/${action.name}`}
      guard={formGuardOf(visit)}
      label={action.label}
      about={`${action.label} ${resource.nameOf(row)}`}
      {...(confirm === undefined ? {} : { confirm })}
    />
  );
}
