import { randomBytes } from "node:crypto";
import { PLATFORM_ORG_ID } from "../../contract/platform-org.ts";
import { isSecret } from "../../domain/key/api-key.ts";
import { keyIn } from "../../edge/identity/identify.ts";
import { isSecure, readCookie } from "../../edge/identity/session-cookie.ts";
import { csrfTokens, isOwnPost } from "../console/csrf.ts";
import type { Dispatch } from "../console/in-process.ts";
import { SignInPage } from "../console/pages/sign-in.tsx";
import { type Ctx, formTooLong, htmlResponse, readForm, type Web } from "../html.tsx";
import { peppersOf } from "../../settings.ts";
import { returnPath } from "../return-path.ts";
import { enterByLink } from "./link.tsx";

/**
 * Signs in with an owner key. The key is exchanged for a console link, by the API and its rules, and is not kept: no cookie,
 * page or log line contains it.
 */

const LONGEST_FORM_BYTES = 8_192;
const FORM_SECONDS = 3_600;

function cookieName(request: Request): string {
  return isSecure(request) ? "__Host-svc_form" : "svc_form";
}

/** The form belongs to the browser that asked for it, so that no other site can sign anybody in. */
export function signInForm(context: Ctx, web: Web, problem: SignInProblem | null = null): Response {
  const { org, return_to: returnTo } = context.req.query();
  const { raw } = context.req;
  const browser = randomBytes(32).toString("base64url");
  const page = (
    <SignInPage
      org={org ?? null}
      returnTo={returnPath(problem?.returnTo ?? returnTo)}
      csrf={formTokens(web, browser)[0]}
      once={crypto.randomUUID()}
      problem={problem?.text ?? null}
    />
  );
  const attributes = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${FORM_SECONDS}${isSecure(raw) ? "; Secure" : ""}`;
  return htmlResponse(page, problem?.status ?? 200, web, {
    "set-cookie": `${cookieName(raw)}=${browser}; ${attributes}`,
  });
}

export interface SignInProblem {
  readonly text: string;
  readonly status: number;
  readonly returnTo: string;
}

function formTokens(web: Web, browser: string): [string, ...string[]] {
  return csrfTokens(peppersOf(web.settings), `form:${browser}`);
}

export async function signInWithKey(context: Ctx, web: Web, dispatch: Dispatch): Promise<Response> {
  const { raw } = context.req;
  const read = await readForm(raw, web.settings, LONGEST_FORM_BYTES);
  if (read.fields === null && read.tooLong) return formTooLong(web);
  const form = read.fields ?? new URLSearchParams();
  const returnTo = returnPath(form.get("return_to"));
  const browser = readCookie(raw, cookieName(raw));
  if (browser === null || !isOwnPost(raw, form, formTokens(web, browser))) {
    const text = "This form did not come from this page, or the page is out of date. Try again.";
    return signInForm(context, web, { text, status: 403, returnTo });
  }
  const key = form.get("key")?.trim() ?? "";
  if (isSecret(key, web.settings.SVC_OPERATOR_KEY)) {
    const text =
      "This is the operator key, which belongs to no organization. Sign in with it at /operator/login.";
    return signInForm(context, web, { text, status: 403, returnTo });
  }
  const answer = await linkFor(key, web, dispatch, raw);
  if (answer.status === 201) {
    const { url } = await answer.json<{ url: string }>();
    return enterByLink(context, web, new URL(url).searchParams.get("link") ?? "", returnTo);
  }
  const { error } = await answer.json<{ error: { code: string; message: string } }>();
  const text = EXPLAINED[error.code] ?? error.message;
  return signInForm(context, web, { text, status: answer.status, returnTo });
}

const EXPLAINED: Readonly<Record<string, string>> = {
  unauthorized: "This is not a valid API key. A key starts with svc_live_ or svc_test_.",
  gone: "This key is revoked.",
  key_expired: "This key has expired or is not valid yet.",
  forbidden: "Only an owner key signs in to the console. This key has a lower role.",
};

/** Text that is no key is asked about as well, so that guesses are slowed down like those of any caller. */
function linkFor(key: string, web: Web, dispatch: Dispatch, from: Request): Response | Promise<Response> {
  const orgId = keyIn(web.settings, key)?.orgId ?? PLATFORM_ORG_ID;
  const headers = new Headers({ authorization: `Bearer ${/^[\x21-\x7e]+$/.test(key) ? key : "none"}` });
  const address = from.headers.get("cf-connecting-ip");
  if (address !== null) headers.set("cf-connecting-ip", address);
  return dispatch(
    new Request(new URL(`/v1/orgs/${orgId}/console-links`, from.url), { method: "POST", headers }),
  );
}
