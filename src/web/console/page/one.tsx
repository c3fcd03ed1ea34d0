import { Later } from "../../later.tsx";
import { readNames } from "../names.ts";
import { BLANK, bodyOf, type FormValues, draftOf } from "../view/field.ts";
import { Asking, Fields, Form, Problems } from "../view/form.tsx";
import { Notice, noticeAt } from "../view/notice.tsx";
import { Card, Facts, Head } from "../view/parts.tsx";
import { type PageRequest, hasRole, formGuardOf, show, type PageResponse, type Visit } from "../visit.ts";
import { submit } from "./act.ts";
import { button } from "./list.tsx";
import { refusedPage, unreadPage } from "./refusal-page.tsx";
import { type Action, hasPage, type Resource } from "./resource.ts";

const addressOf = <T,>(resource: Resource<T>, visit: Visit, ask: PageRequest) =>
  `${visit.org}/${resource.api}/${encodeURIComponent(ask.params["id"] ?? "")}`;

/** A form of the page that was refused: that of an action, by its name, or the one that changes the item. */
interface RefusedForm {
  readonly action: string | null;
  readonly draft: FormValues;
  readonly status: number;
}

/** The page of one item: its facts, its form and its actions. */
export async function itemPage<T>(
  resource: Resource<T>,
  visit: Visit,
  ask: PageRequest,
  refused: RefusedForm | null = null,
): Promise<PageResponse> {
  const answer = await visit.api.get<T>(addressOf(resource, visit, ask));
  if (answer.body === null) return unreadPage(answer, resource.path);
  const row = answer.body;
  const { actions = [], change } = resource;
  const [id, name] = [resource.idOf(row), resource.nameOf(row)];
  const mayWrite = hasRole(visit, resource.role);
  const nameOf = await readNames(visit, resource.idsIn?.(row) ?? []);
  const draftFor = (action: string | null) => (refused?.action === action ? refused.draft : null);
  const content = (
    <>
      <Head title={name} about={id === name ? null : <code>{id}</code>}>
        {mayWrite && actions.map((action) => (action.fields ? null : button(resource, action, visit, row)))}
      </Head>
      <Notice ask={ask} />
      <Problems of={change?.fields ?? []} draft={draftFor(null) ?? BLANK} />
      <Card>
        <Facts
          of={
            resource.factsOf?.(row, nameOf, visit.nowMs) ??
            resource.columns.map(({ title, cell }) => [title, cell(row)])
          }
        />
      </Card>
      {resource.above !== undefined && <Later read={async () => resource.above?.(visit, row)} />}
      {mayWrite && changeCard(resource, visit, row, draftFor(null))}
      {mayWrite &&
        actions.map((action) => actionCard(resource, action, visit, { row, draft: draftFor(action.name) }))}
      {resource.below !== undefined && <Later read={async () => resource.below?.(visit, ask, row)} />}
    </>
  );
  return show(name, resource.path, content, refused?.status ?? 200);
}

function changeCard<T>(resource: Resource<T>, visit: Visit, row: T, refused: FormValues | null) {
  const { change } = resource;
  if (change === undefined) return null;
  const fields = change.fieldsOf?.(row) ?? change.fields;
  return (
    <Card title={`Change this ${resource.one}`} note={change.note}>
      <Form action={`${resource.path}/${encodeURIComponent(resource.idOf(row))}`} guard={formGuardOf(visit)}>
        <Fields of={fields} draft={refused ?? draftOf(row, fields)} />
        <div class="inline">
          <button class="primary" type="submit">
            Save
          </button>
          <a class="button" href={resource.path}>
            Cancel
          </a>
        </div>
      </Form>
    </Card>
  );
}

/** An action with fields has a form instead of a button. */
function actionCard<T>(
  resource: Resource<T>,
  action: Action<T>,
  visit: Visit,
  { row, draft }: { readonly row: T; readonly draft: FormValues | null },
) {
  if (action.fields === undefined || action.isFor?.(row) === false) return null;
  const to = `${resource.path}/${encodeURIComponent(resource.idOf(row))}/${action.name}`;
  const confirm = action.confirm?.(row);
  const fields = <Fields of={action.fields} draft={draft ?? BLANK} scope={action.name} />;
  return (
    <Card title={action.label}>
      <Problems of={action.fields} draft={draft ?? BLANK} scope={action.name} />
      {confirm === undefined ? (
        <Form action={to} guard={formGuardOf(visit)}>
          {fields}
          <div>
            <button type="submit">{action.label}</button>
          </div>
        </Form>
      ) : (
        <Asking
          action={to}
          guard={formGuardOf(visit)}
          label={action.label}
          about={`${action.label} ${resource.nameOf(row)}`}
          confirm={confirm}
          asked={fields}
        />
      )}
    </Card>
  );
}

export async function changeOne<T>(
  resource: Resource<T>,
  change: NonNullable<Resource<T>["change"]>,
  visit: Visit,
  ask: PageRequest,
): Promise<PageResponse> {
  const { fields, method, keeps = [] } = change;
  const path = addressOf(resource, visit, ask);
  const kept = keeps.length === 0 ? {} : keptOf(await visit.api.get<object>(path), keeps);
  const typed = bodyOf(ask.form, fields);
  return submit(visit, ask, {
    request: { method, path, body: { ...kept, ...(change.bodyOf?.(typed) ?? typed) } },
    fields,
    done: () => noticeAt(ask.path, "saved"),
    again: (draft, { status }) => itemPage(resource, visit, ask, { action: null, draft, status }),
  });
}

/** Without null values: those fields were never given. */
function keptOf({ body }: { readonly body: object | null }, names: readonly string[]): object {
  const entries = Object.entries(body ?? {}).filter(([name]) => names.includes(name));
  const text = JSON.stringify(Object.fromEntries(entries), (_name, value: unknown) => value ?? undefined);
  return JSON.parse(text) as object;
}

/** Returns to the item's page, or to the list if the item is gone. */
export function actOnOne<T>(
  resource: Resource<T>,
  action: Action<T>,
  visit: Visit,
  ask: PageRequest,
): Promise<PageResponse> {
  const id = ask.params["id"] ?? "";
  const { method, fields = [], notice = "saved" } = action;
  const stays = hasPage(resource) && method !== "DELETE";
  const back = stays ? `${resource.path}/${encodeURIComponent(id)}` : resource.path;
  const body = method === "DELETE" ? null : { ...action.body, ...bodyOf(ask.form, fields) };
  return submit(visit, ask, {
    request: { method, path: addressOf(resource, visit, ask) + action.api, body },
    fields,
    done: (answer) => action.done?.(answer, id) ?? noticeAt(back, notice),
    again: (draft, answer) =>
      stays && Object.keys(draft.errors).length > 0
        ? itemPage(resource, visit, ask, { action: action.name, draft, status: answer.status })
        : refusedPage(answer, resource.path, back),
  });
}
