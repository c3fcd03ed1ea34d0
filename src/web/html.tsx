import type { Context } from "hono";
import { raw } from "hono/html";
import type { JSX } from "hono/jsx/jsx-runtime";
import { refusalHeaders } from "../contract/refusal.ts";
import { UnreadBody } from "../domain/body/timed.ts";
import { readBounded, refuseUnread } from "../edge/request/read-bounded.ts";
import { callerAddress } from "../edge/request/call.ts";
import type { Env } from "../edge/env.ts";
import { ObjectUnreachable } from "../edge/object/unreachable.ts";
import { REGION_HEADER, TRACE_HEADER } from "../contract/headers.ts";
import { requestText } from "../edge/request/request-line.ts";
import { logFailure, logNow } from "../log.ts";
import { type Settings, settingsOf } from "../settings.ts";
import { MessagePage } from "./console/pages/sign-in.tsx";
import { sourceOf } from "../domain/network/address.ts";
import { AddressLimit } from "./address-limit.ts";
import { draw, streamOf } from "./later.tsx";
import { Card } from "./console/view/parts.tsx";

/** No scripts, nothing from other origins, forms only to this origin, no framing. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** A page that refreshes itself may run its own script, which asks this origin. */
export const OWN_SCRIPT = {
  "content-security-policy": `${POLICY}; script-src 'self'; connect-src 'self'`,
};

const HEADERS = {
  "content-security-policy": POLICY,
  "cache-control": "no-store",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
};

export type Ctx = Context<{ Bindings: Env }>;

/** The context of every response to a browser. */
export interface Web {
  readonly trace: string;
  readonly region: string;
  readonly settings: Settings;
  readonly address: string;
}

/** Limits per address, or per network where one host has many. Sign-in routes ask the directory and an org's object for anyone, so their limit is lower than that of pages. */
const SIGN_IN_LIMIT = new AddressLimit(240);
const PAGE_LIMIT = new AddressLimit(1_200);

/** The longest form of the console, a set of rules, with room to spare. */
const MOST_FORM_BYTES = 512 * 1024;

/** Runs a browser's request and leaves one line in the log, as every request does. Failures are pages here, too. */
export async function serveLogged(
  context: Ctx,
  route: string,
  run: (web: Web) => Promise<Response>,
): Promise<Response> {
  const settings = settingsOf(context.env);
  const region = settings.SVC_REGION;
  const trace = crypto.randomUUID();
  const startedAt = Date.now();
  const web = { trace, region, settings, address: callerAddress(context.req.raw) };
  const limit = /^\/(sso|saml)\/|^\/(console|operator)\/(login|enter)$/.test(route)
    ? SIGN_IN_LIMIT
    : PAGE_LIMIT;
  const seconds = limit.take(sourceOf(web.address), startedAt);
  const response =
    seconds > 0 ? tooOften(seconds, web) : await run(web).catch((error: unknown) => failurePage(error, web));
  const { status } = response;
  const { method } = context.req;
  const ms = Date.now() - startedAt;
  logNow(
    requestText({ startedAt, trace, method, route, status, code: null, org: null, key: null, region, ms }),
  );
  return response;
}

function tooOften(seconds: number, web: Web): Response {
  const text = `Too many requests from your address. Try again in ${seconds} seconds.`;
  const page = (
    <MessagePage
      title="Too many requests"
      text={text}
      code="rate_limited"
      link={["/console", "Go to the console"]}
    />
  );
  return htmlResponse(page, 429, web, { "retry-after": String(seconds) });
}

function failurePage(error: unknown, web: Web): Response {
  if (error instanceof UnreadBody) return unreadPage(error, web);
  const { status, title, text } = sayFailure(error, web);
  const page = <MessagePage title={title} text={text} link={["/console", "Go to the console"]} />;
  return htmlResponse(page, status, web);
}

/** Logs a failure. Returns the status, title and message of its page. */
function sayFailure(error: unknown, { trace }: PageAnswer) {
  logFailure(trace, error);
  if (error instanceof ObjectUnreachable) {
    return { status: 503, title: "Temporarily unavailable", text: "Try again shortly." };
  }
  const text = `The error is on our side. Quote ${trace} when you report it.`;
  return { status: 500, title: "Something went wrong", text };
}

const UNREAD: Readonly<Record<UnreadBody["reason"], readonly [title: string, text: string]>> = {
  broken: ["Upload interrupted", "The upload ended early. Nothing was changed. Send it again."],
  late: ["Upload too slow", "The upload took too long. Nothing was changed. Send it again."],
  full: [
    "Temporarily unavailable",
    "Too many uploads are in progress. Nothing was changed. Try again shortly.",
  ],
};

function unreadPage(error: UnreadBody, web: Web): Response {
  const [title, text] = UNREAD[error.reason];
  const refusal = refuseUnread(error);
  return htmlResponse(
    <MessagePage title={title} text={text} link={["/console", "Go to the console"]} />,
    refusal.status,
    web,
    refusalHeaders(refusal),
  );
}

/** The form fields, or why there are none: the body is not a form, or is too large. */
export type ReadForm =
  | { readonly fields: URLSearchParams; readonly file?: Uint8Array | null }
  | { readonly fields: null; readonly tooLong: boolean };

export async function readForm(
  request: Request,
  settings: Settings,
  mostBytes = MOST_FORM_BYTES,
): Promise<ReadForm> {
  const type = request.headers.get("content-type") ?? "";
  if (!type.startsWith("application/x-www-form-urlencoded")) return { fields: null, tooLong: false };
  const bytes = await readBounded(request, mostBytes, settings);
  if (bytes === null) return { fields: null, tooLong: true };
  return { fields: new URLSearchParams(new TextDecoder().decode(bytes)) };
}

export function formTooLong(web: Web): Response {
  const page = (
    <MessagePage
      title="Form too large"
      text="The form is larger than this page accepts. Nothing was changed."
      code="payload_too_large"
      link={["/console", "Go to the console"]}
    />
  );
  return htmlResponse(page, 413, web);
}

type PageAnswer = Pick<Web, "trace" | "region">;

export function webHeaders({ trace, region }: PageAnswer): Record<string, string> {
  return { ...HEADERS, [TRACE_HEADER]: trace, [REGION_HEADER]: region };
}

export function htmlResponse(
  page: JSX.Element,
  status: number,
  web: PageAnswer,
  more: Record<string, string> = {},
): Response {
  const headers = { ...webHeaders(web), "content-type": "text/html; charset=utf-8", ...more };
  const drawn = draw(
    <>
      {raw("<!doctype html>")}
      {page}
    </>,
  );
  if (drawn.reads.length === 0) return new Response(drawn.texts[0], { status, headers });
  const failed = (error: unknown) => <FailedPart {...sayFailure(error, web)} />;
  return new Response(streamOf(drawn, failed), { status, headers });
}

/** Shown for a part that failed after the status of its page was sent. */
function FailedPart({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <Card title={title}>
      <p data-failed>{text}</p>
      <a class="button" href="/console">
        Go to the console
      </a>
    </Card>
  );
}

/** Default: 303, so that the browser uses GET for the new URL. */
export function redirectTo(
  location: string,
  web: PageAnswer,
  more: Record<string, string> = {},
  status = 303,
): Response {
  return new Response(null, { status, headers: { ...webHeaders(web), location, ...more } });
}
