import { type Draft, type Field, refusedDraft } from "../view/field.ts";
import type { Answer, Ask, Shown, Visit } from "../visit.ts";

export type Method = Parameters<Visit["api"]["send"]>[0];

/** Sends a form or button action. If it is refused, `again` shows the refusal with its status. */
export async function submit(
  visit: Visit,
  ask: Ask,
  request: { readonly method: Method; readonly path: string; readonly body: object | null },
  fields: readonly Field[],
  done: (body: unknown) => Shown,
  again: (draft: Draft, answer: Answer<unknown>) => Shown | Promise<Shown>,
  complaintAt?: (field: string) => string,
): Promise<Shown> {
  const once = ask.form.get("_once") ?? visit.once();
  const answer = await visit.api.send(request.method, request.path, request.body, once);
  if (answer.error === null) return done(answer.body);
  return again(refusedDraft(ask.form, answer, fields, complaintAt), answer);
}
