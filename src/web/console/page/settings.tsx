import type { Child } from "hono/jsx";
import type { KeyRole } from "../../../contract/access.ts";
import { bodyOf, type FormValues, draftOf, type Field } from "../view/field.ts";
import { ActionButton, Fields, Form, Problems, type FormGuard } from "../view/form.tsx";
import { Notice, noticeAt } from "../view/notice.tsx";
import { Card, Head } from "../view/parts.tsx";
import { Unread } from "../view/unread.tsx";
import {
  type Answer,
  type PageRequest,
  hasRole,
  type Route,
  formGuardOf,
  show,
  type PageResponse,
  type Visit,
} from "../visit.ts";
import { submit } from "./act.ts";
import { refusedPage } from "./refusal-page.tsx";

/** A setting of the org, as a card with a form. It is read with GET and written as a whole. */
export interface Setting<T> {
  /** Its part of the path, and the prefix of its field ids. */
  readonly name: string;
  readonly title: string;
  readonly api: string;
  readonly method: "PUT" | "PATCH";
  readonly role: KeyRole;
  readonly save: string;
  /** The fields may depend on the current value. */
  fieldsOf(found: T | null, form: URLSearchParams | null): readonly Field[];
  noteOf?(found: T | null): Child;
  /** Shown above the form. */
  above?(found: T | null): Child;
  draftOf?(found: T | null): FormValues;
  bodyOf?(form: URLSearchParams): object;
  /** Maps a field error of the API to a form field, if the names differ. */
  complaintAt?(field: string, form: URLSearchParams): string;
  readonly remove?: { readonly label: string; readonly confirm: string };
}

export interface SettingsPage {
  readonly path: string;
  readonly title: string;
  readonly about: string;
  readonly settings: readonly Setting<unknown>[];
  above?(visit: Visit): Promise<Child>;
  below?(visit: Visit, ask: PageRequest): Promise<Child>;
}

interface Refusal {
  readonly name: string;
  readonly draft: FormValues;
  readonly status: number;
}

interface SettingsOutcome {
  readonly refused?: Refusal | null;
  readonly status?: number;
}

export function settingsPages(page: SettingsPage): readonly Route[] {
  const { path } = page;
  const routes: Route[] = [["GET", path, (visit, ask) => showSettings(page, visit, ask)]];
  for (const setting of page.settings) {
    const at = `${path}/${setting.name}`;
    routes.push(["POST", at, (visit, ask) => save(page, setting, visit, ask)]);
    if (setting.remove)
      routes.push(["POST", `${at}/delete`, (visit, ask) => remove(page, setting, visit, ask)]);
  }
  return routes;
}

export async function showSettings(
  page: SettingsPage,
  visit: Visit,
  ask: PageRequest,
  { refused = null, status = refused?.status ?? 200 }: SettingsOutcome = {},
): Promise<PageResponse> {
  const found = await Promise.all(page.settings.map(({ api }) => visit.api.get(addressOf(visit, api))));
  const content = (
    <>
      <Head title={page.title} about={page.about} />
      <Notice ask={ask} />
      {await page.above?.(visit)}
      {page.settings.map((setting, index) =>
        settingCard({ page, setting, visit, answer: found[index] as Answer<unknown>, ask, refused }),
      )}
      {await page.below?.(visit, ask)}
    </>
  );
  return show(page.title, page.path, content, status);
}

const addressOf = (visit: Visit, api: string) => (api === "" ? visit.org : `${visit.org}/${api}`);

interface CardOf {
  readonly page: SettingsPage;
  readonly setting: Setting<unknown>;
  readonly visit: Visit;
  readonly answer: Answer<unknown>;
  readonly ask: PageRequest;
  readonly refused: Refusal | null;
}

/** A setting that is not set has an empty form. A setting that the reader may not read has none. */
function settingCard({ page, setting, visit, answer, ask, refused }: CardOf) {
  const { name, title } = setting;
  if (answer.error !== null && answer.status !== 404) {
    return (
      <Card title={title}>
        <Unread of={answer} />
      </Card>
    );
  }
  const own = refused?.name === name ? refused.draft : null;
  const fields = setting.fieldsOf(answer.body, own === null ? null : ask.form);
  const draft = own ?? setting.draftOf?.(answer.body) ?? draftOf(answer.body, fields);
  const mayWrite = hasRole(visit, setting.role);
  return (
    <Card title={title} note={setting.noteOf?.(answer.body)}>
      <div class="stack">
        <Problems of={fields} draft={own ?? { values: {}, errors: {}, problem: null }} scope={name} />
        {setting.above?.(answer.body)}
        <Form action={`${page.path}/${name}`} guard={formGuardOf(visit)}>
          <fieldset disabled={!mayWrite}>
            <Fields of={fields} draft={draft} scope={name} />
          </fieldset>
          <SaveButton setting={setting} mayWrite={mayWrite} />
        </Form>
        {mayWrite && answer.body !== null && (
          <RemoveButton action={`${page.path}/${name}/delete`} setting={setting} guard={formGuardOf(visit)} />
        )}
      </div>
    </Card>
  );
}

function SaveButton({ setting, mayWrite }: { setting: Setting<unknown>; mayWrite: boolean }) {
  return mayWrite ? (
    <div>
      <button class="primary" type="submit">
        {setting.save}
      </button>
    </div>
  ) : (
    <p class="quiet small">To change this you need the role {setting.role}.</p>
  );
}

function RemoveButton(props: { action: string; setting: Setting<unknown>; guard: FormGuard }) {
  const { remove: button } = props.setting;
  return button === undefined ? null : (
    <div>
      <ActionButton action={props.action} guard={props.guard} label={button.label} confirm={button.confirm} />
    </div>
  );
}

function save(
  page: SettingsPage,
  setting: Setting<unknown>,
  visit: Visit,
  ask: PageRequest,
): Promise<PageResponse> {
  const { name, method } = setting;
  const fields = setting.fieldsOf(null, ask.form);
  const body = setting.bodyOf?.(ask.form) ?? bodyOf(ask.form, fields);
  return submit(visit, ask, {
    request: { method, path: addressOf(visit, setting.api), body },
    fields,
    done: () => noticeAt(page.path, "saved"),
    again: (draft, { status }) => showSettings(page, visit, ask, { refused: { name, draft, status } }),
    complaintAt: (field) => setting.complaintAt?.(field, ask.form) ?? field,
  });
}

function remove(
  page: SettingsPage,
  setting: Setting<unknown>,
  visit: Visit,
  ask: PageRequest,
): Promise<PageResponse> {
  return submit(visit, ask, {
    request: { method: "DELETE", path: addressOf(visit, setting.api), body: null },
    fields: [],
    done: () => noticeAt(page.path, "deleted"),
    again: (_, answer) => refusedPage(answer, page.path, page.path),
  });
}
