import { type NoticeName, noticeAt } from "../view/notice.tsx";
import type { Ask, Shown, Visit } from "../visit.ts";
import { refusedPage } from "./refused.tsx";

type Request = Parameters<Visit["api"]["send"]>;

/** A button: one request, then back to a page that says what was done, or the refusal as a page. */
export async function act(
  visit: Visit,
  ask: Ask,
  [method, path, body]: readonly [Request[0], string, Request[2]],
  [back, notice]: readonly [string, NoticeName],
): Promise<Shown> {
  const answer = await visit.api.send(method, path, body, ask.form.get("_once") ?? visit.once());
  return answer.error === null ? noticeAt(back, notice) : refusedPage(answer, back);
}
