import { type FormValues, type Field, refusedDraft } from "../view/field.ts";
import type { Answer, PageRequest, PageResponse, Visit } from "../visit.ts";

export type Method = Parameters<Visit["api"]["send"]>[0];

/** Sends a form or button action, once. If it is refused, `again` shows the refusal with its status. */
export async function submit(
  visit: Visit,
  ask: PageRequest,
  {
    request,
    fields,
    done,
    again,
    complaintAt,
  }: {
    readonly request: { readonly method: Method; readonly path: string; readonly body: object | null };
    readonly fields: readonly Field[];
    readonly done: (body: unknown) => PageResponse;
    readonly again: (draft: FormValues, answer: Answer<unknown>) => PageResponse | Promise<PageResponse>;
    readonly complaintAt?: ((field: string) => string) | undefined;
  },
): Promise<PageResponse> {
  const once = ask.form.get("_once") ?? visit.once();
  const answer = inWordsOfForms(await visit.api.send(request.method, request.path, request.body, once));
  if (answer.error === null) return done(answer.body);
  return again(refusedDraft(ask.form, answer, fields, complaintAt), answer);
}

const MESSAGES: Readonly<Record<string, string>> = {
  idempotency_key_conflict:
    "This form was already sent with other content, so nothing was changed. Check it and send it again.",
  idempotency_key_processing: "This form is still being processed. Reload the page to see the result.",
};

/** People know nothing of idempotency keys. */
function inWordsOfForms(answer: Answer<unknown>): Answer<unknown> {
  const message = MESSAGES[answer.error?.code ?? ""];
  return answer.error === null || message === undefined
    ? answer
    : { ...answer, error: { ...answer.error, message } };
}
