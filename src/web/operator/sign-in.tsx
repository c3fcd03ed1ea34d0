import { randomBytes } from "node:crypto";
import { isSecure, readCookie } from "../../edge/identity/session-cookie.ts";
import { peppersOf } from "../../settings.ts";
import { csrfTokens, isOwnPost } from "../console/csrf.ts";
import type { Dispatch } from "../console/in-process.ts";
import { type Ctx, formTooLong, htmlResponse, readForm, redirectTo, type Web } from "../html.tsx";
import { noteOperatorSession } from "../../platform/operator-sessions.ts";
import { MOST_MS, newOperatorSession, operatorCookie } from "./session.ts";
import { OperatorSignIn } from "./shell.tsx";

/** Signs in with the operator key. The API judges the key, so guesses are slowed down like those of any caller. */

const LONGEST_FORM_BYTES = 8_192;
const FORM_SECONDS = 3_600;

function cookieName(request: Request): string {
  return isSecure(request) ? "__Host-svc_operator_form" : "svc_operator_form";
}

function tokensOf(web: Web, browser: string): [string, ...string[]] {
  return csrfTokens(peppersOf(web.settings), `operator form:${browser}`);
}

export function operatorSignInForm(
  context: Ctx,
  web: Web,
  problem: string | null = null,
  status = 200,
): Response {
  const { raw } = context.req;
  const browser = randomBytes(32).toString("base64url");
  const page = (
    <OperatorSignIn csrf={tokensOf(web, browser)[0]} once={crypto.randomUUID()} problem={problem} />
  );
  const attributes = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${FORM_SECONDS}${isSecure(raw) ? "; Secure" : ""}`;
  return htmlResponse(page, status, web, { "set-cookie": `${cookieName(raw)}=${browser}; ${attributes}` });
}

export async function operatorSignIn(context: Ctx, web: Web, dispatch: Dispatch): Promise<Response> {
  const { raw } = context.req;
  const read = await readForm(raw, web.settings, LONGEST_FORM_BYTES);
  if (read.fields === null && read.tooLong) return formTooLong(web);
  const form = read.fields ?? new URLSearchParams();
  const browser = readCookie(raw, cookieName(raw));
  if (browser === null || !isOwnPost(raw, form, tokensOf(web, browser))) {
    const text = "This form did not come from this page, or the page is out of date. Try again.";
    return operatorSignInForm(context, web, text, 403);
  }
  const answer = await judged(form.get("key")?.trim() ?? "", dispatch, raw);
  if (answer.status === 200) {
    const now = Date.now();
    const session = newOperatorSession(now);
    const row = { id: session.id, startedAt: now, seenAt: now, address: web.address };
    await noteOperatorSession(context.env.DB, row, now - MOST_MS);
    return redirectTo("/operator", web, {
      "set-cookie": operatorCookie(raw, web.settings, session, now),
    });
  }
  const { error } = await answer.json<{ error: { code: string; message: string } }>();
  const isKey = error.code === "unauthorized" || error.code === "forbidden";
  return operatorSignInForm(
    context,
    web,
    isKey ? "This is not the operator key." : error.message,
    answer.status,
  );
}

/** Only the operator may list plans. */
function judged(key: string, dispatch: Dispatch, from: Request): Response | Promise<Response> {
  const headers = new Headers({ authorization: `Bearer ${/^[\x21-\x7e]+$/.test(key) ? key : "none"}` });
  const address = from.headers.get("cf-connecting-ip");
  if (address !== null) headers.set("cf-connecting-ip", address);
  return dispatch(new Request(new URL("/v1/admin/plans?limit=1", from.url), { headers }));
}
