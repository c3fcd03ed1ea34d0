import { refuse } from "../../../contract/refusal.ts";
import { Later } from "../../later.tsx";
import { BLANK, bodyOf, type FormValues } from "../view/field.ts";
import { Fields, Form, Offered, offersId, Problems, SaveOrCancel, SURE } from "../view/form.tsx";
import { noticeAt } from "../view/notice.tsx";
import { Card, Head } from "../view/parts.tsx";
import { type PageRequest, hasRole, formGuardOf, show, type PageResponse, type Visit } from "../visit.ts";
import { submit } from "./act.ts";
import { refusedPage } from "./refusal-page.tsx";
import type { Resource } from "./resource.ts";

type Create = NonNullable<Resource<never>["create"]>;

interface NewState {
  readonly draft?: FormValues;
  readonly status?: number;
  /** The question that the form asks before it is sent. */
  readonly question?: string | null;
}

/** A link can fill in what it knows, such as the customer that it stands beside. */
export function readFormValues(query: URLSearchParams, { fields }: Create): FormValues {
  const given = fields.flatMap(({ name }) =>
    query.has(name) ? [[name, query.get(name) ?? ""] as const] : [],
  );
  return { ...BLANK, values: Object.fromEntries(given) };
}

export async function newPage(
  { path }: Pick<Resource<never>, "path">,
  create: Create,
  visit: Visit,
  { draft = BLANK, status = 200, question = null }: NewState = {},
): Promise<PageResponse> {
  const { offers } = create;
  const content = (
    <>
      <Head title={create.title} />
      <Problems of={create.fields} draft={draft} />
      {question !== null && (
        <div class="notice warn" role="alert">
          <strong>Nothing was created yet.</strong> {question}
        </div>
      )}
      <Card>
        <Form action={path} guard={formGuardOf(visit)}>
          <Fields of={create.fields} draft={draft} />
          <SaveOrCancel save={create.save} cancel={path} isAsking={question !== null} />
        </Form>
      </Card>
      {offers !== undefined && (
        <Later
          read={async () =>
            Object.entries(await offers(visit)).map(([name, of]) => <Offered id={offersId(name)} of={of} />)
          }
        />
      )}
    </>
  );
  return show(create.title, path, content, status);
}

/** Without this part of the path the API cannot be called, so the error is made here, as the API would. */
function missingPart(form: URLSearchParams, fields: Create["fields"]): FormValues | null {
  const missing = fields.find(({ name, inPath }) => inPath === true && !form.get(name)?.trim());
  if (missing === undefined) return null;
  return { values: Object.fromEntries(form), errors: { [missing.name]: "is required" }, problem: null };
}

export async function createOne(
  resource: Pick<Resource<never>, "path" | "api" | "role">,
  create: Create,
  visit: Visit,
  ask: PageRequest,
): Promise<PageResponse> {
  const { put, fields } = create;
  const missing = missingPart(ask.form, fields);
  if (missing !== null && !hasRole(visit, resource.role)) {
    const { status, code, message, details } = refuse("forbidden");
    return refusedPage({ status, error: { code, message, details }, trace: null }, resource.path);
  }
  if (missing !== null) return newPage(resource, create, visit, { draft: missing, status: 422 });
  const path = `${visit.org}/${put === undefined ? resource.api : put(ask.form)}`;
  const typed = bodyOf(ask.form, fields);
  const body = create.bodyOf?.(typed) ?? typed;
  if (create.question !== undefined && ask.form.get(SURE) !== "yes") {
    const { body: wouldBe } = await visit.api.tryPost(path, body);
    const question = wouldBe === null ? null : await create.question(wouldBe, visit);
    const values = Object.fromEntries(ask.form);
    if (question !== null) return newPage(resource, create, visit, { draft: { ...BLANK, values }, question });
  }
  return submit(visit, ask, {
    request: { method: put === undefined ? "POST" : "PUT", path, body },
    fields,
    complaintAt: create.complaintAt,
    done: (made) => create.done?.(made) ?? noticeAt(resource.path, "created"),
    again: (draft, { status }) => newPage(resource, create, visit, { draft, status }),
  });
}
