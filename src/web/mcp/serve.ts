import type { Context } from "hono";
import { JSON_MEDIA } from "../../contract/bounds.ts";
import { type Refusal, refusalHeaders } from "../../contract/refusal.ts";
import { standardHeaders, TRACE_HEADER } from "../../contract/headers.ts";
import { UnreadBody } from "../../domain/body/timed.ts";
import { structureProblem } from "../../domain/text/json-bounds.ts";
import type { Env } from "../../edge/env.ts";
import { readBounded, refuseUnread } from "../../edge/request/read-bounded.ts";
import { requestText } from "../../edge/request/request-line.ts";
import { logFailure, logNow } from "../../log.ts";
import { type Settings, settingsOf } from "../../settings.ts";
import {
  type McpRequest,
  asData,
  badRequest,
  CODES,
  describe,
  OWN_META,
  readMessage,
  toolList,
  type RpcError,
} from "./protocol.ts";
import { argumentProblem, type Arguments, toListedTool, type Tool, toolCall, TOOLS } from "./tools.ts";

const MOST_BODY_BYTES = 65_536;
/** A model reads all of it. */
const MOST_ANSWER_BYTES = 65_536;

type Ctx = Context<{ Bindings: Env }>;
/** Hands a request to the API's own router: it is checked, counted, logged and audited like any other. */
type Inside = (request: Request) => Response | Promise<Response>;

/** The API that the server serves as tools. */
export interface Api {
  readonly inside: Inside;
  readonly serves: (route: string) => boolean;
}

interface ServedAnswer {
  readonly status: number;
  readonly body: object | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `POST /mcp`: the API as tools for a model. It keeps no sessions, and its key is the bearer of each request. */
export async function serveMcp(context: Ctx, api: Api): Promise<Response> {
  const { SVC_REGION: region } = settingsOf(context.env);
  const trace = crypto.randomUUID();
  const startedAt = Date.now();
  const { method } = context.req;
  let answered: ServedAnswer;
  try {
    answered = await answer(context, api);
  } catch (error) {
    logFailure(trace, error);
    answered = failed({ status: 500, code: CODES.internal, message: "An error occurred.", id: null });
  }
  const { status, body, headers } = answered;
  const ms = Date.now() - startedAt;
  logNow(
    requestText({
      startedAt,
      trace,
      method,
      route: "/mcp",
      status,
      code: null,
      org: null,
      key: null,
      region,
      ms,
    }),
  );
  const all: Record<string, string> = { ...standardHeaders(region), [TRACE_HEADER]: trace, ...headers };
  if (body === null) delete all["content-type"];
  return new Response(body === null ? null : JSON.stringify(body), { status, headers: all });
}

async function answer(context: Ctx, api: Api): Promise<ServedAnswer> {
  const { req } = context;
  if (req.method !== "POST") return { status: 405, body: null, headers: { allow: "POST" } };
  const refused = requestProblem(context);
  if (refused !== null) return refused;
  const text = await bodyText(req.raw, settingsOf(context.env));
  if (typeof text !== "string") return failed(text);
  const message = readMessage(text, (name) => req.raw.headers.get(name));
  if ("isUnanswered" in message) return { status: 202, body: null };
  if ("code" in message) return failed(message);
  return handle(message, context, api);
}

/** Pages of other origins have no business here, whatever key they have. */
function requestProblem({ req, env }: Ctx): ServedAnswer | null {
  const origin = req.header("origin");
  const own = [new URL(req.url).origin, new URL(settingsOf(env).SVC_BASE_URL).origin];
  if (origin !== undefined && !own.includes(origin))
    return failed(badRequest("This origin is not allowed.", 403));
  if (!/^Bearer \S/.test(req.header("authorization") ?? "")) return unauthorized(null);
  const media = (req.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (media !== JSON_MEDIA) return failed(badRequest(`The body must be ${JSON_MEDIA}.`, 415));
  const accepts = req.header("accept") ?? "*/*";
  if (!/application\/json|\*\/\*|application\/\*/i.test(accepts))
    return failed(badRequest(`Accept must include ${JSON_MEDIA}.`, 406));
  return null;
}

async function bodyText(request: Request, settings: Settings): Promise<string | RpcError> {
  try {
    const bytes = await readBounded(request, MOST_BODY_BYTES, settings);
    if (bytes === null) return badRequest(`The body must have at most ${MOST_BODY_BYTES} bytes.`, 413);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const problem = structureProblem(text);
    return problem === null ? text : badRequest(`The body ${problem}.`);
  } catch (error) {
    if (error instanceof UnreadBody) return unread(refuseUnread(error));
    return { status: 400, code: CODES.parse, message: "The body is not UTF-8.", id: null };
  }
}

function unread(refusal: Refusal): RpcError {
  const { status, message } = refusal;
  const code = status === 503 ? CODES.internal : CODES.request;
  return { status, code, message, id: null, headers: refusalHeaders(refusal) };
}

async function handle(asked: McpRequest, context: Ctx, api: Api): Promise<ServedAnswer> {
  const tools = TOOLS.filter(
    ({ isWrite, route }) => api.serves(route) && (isWrite !== true || context.req.query("write") === "1"),
  );
  if (asked.method === "tools/call") return callTool(asked, tools, context, api);
  const result = asked.method === "tools/list" ? toolList(asked, tools.map(toListedTool)) : describe(asked);
  if (result === null) {
    const message = "There is no such method.";
    return failed({ status: asked.isModern ? 404 : 200, code: CODES.method, message, id: asked.id });
  }
  return (await isKnownKey(context, api)) ? done(asked, result) : unauthorized(asked.id);
}

const OWN_ORG = /^Bearer svc_(?:live|test)_([0-9A-HJKMNP-TV-Z]{26})/;

/** The org of a key. An operator's key has none, and says which. */
function orgOf({ req }: Ctx): string | null {
  const own = OWN_ORG.exec(req.header("authorization") ?? "")?.[1];
  return req.query("org") ?? (own === undefined ? null : `org_${own}`);
}

/** Returns whether the key is one, whatever it may do. */
async function isKnownKey(context: Ctx, api: Api): Promise<boolean> {
  const org = orgOf(context);
  const path = org === null ? "/v1/admin/orgs?limit=1" : `/v1/orgs/${encodeURIComponent(org)}`;
  const { status } = await ask({ method: "GET", path, body: null }, context, api);
  return status !== 401 && status !== 410;
}

async function callTool(
  asked: McpRequest,
  tools: readonly Tool[],
  context: Ctx,
  api: Api,
): Promise<ServedAnswer> {
  const { name, arguments: given = {} } = asked.params;
  const wrong = (message: string) => failed({ status: 200, code: CODES.params, message, id: asked.id });
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) return wrong("There is no such tool.");
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return wrong("arguments must be an object.");
  const problem = argumentProblem(tool, given as Arguments);
  if (problem !== null) return wrong(`${problem}.`);
  const org = orgOf(context);
  if (org === null) return wrong("This key belongs to no organization: add ?org=org_… to the address.");
  const response = await ask(toolCall(tool, org, given as Arguments), context, api);
  if (response.status === 401 || response.status === 410) return unauthorized(asked.id);
  const text = await bounded(response);
  const said = text ?? `The answer has more than ${MOST_ANSWER_BYTES} bytes: ask for less.`;
  const isError = text === null || response.status >= 400;
  return done(asked, {
    content: [{ type: "text", text: asData(said, crypto.randomUUID()) }],
    isError,
  });
}

async function ask(
  { method, path, body }: { method: string; path: string; body: string | null },
  { req }: Ctx,
  { inside }: Api,
): Promise<Response> {
  const headers = new Headers();
  // Nothing else of the request is passed on: neither a cookie, nor what only the platform may say.
  for (const name of ["authorization", "cf-connecting-ip", "traceparent"]) {
    const value = req.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  if (body !== null) headers.set("content-type", JSON_MEDIA);
  return inside(new Request(new URL(path, req.url), { method, headers, body }));
}

/** Null if there is more than a model should read. */
async function bounded(response: Response): Promise<string | null> {
  const reader = response.body?.getReader();
  if (reader === undefined) return "";
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done: isOver, value } = await reader.read();
    if (isOver) break;
    size += value.byteLength;
    if (size > MOST_ANSWER_BYTES) {
      await reader.cancel();
      return null;
    }
    parts.push(value);
  }
  return new Blob(parts as Uint8Array<ArrayBuffer>[]).text();
}

function done({ id, isModern }: McpRequest, result: object): ServedAnswer {
  const whole = isModern ? { resultType: "complete", _meta: OWN_META, ...result } : result;
  return { status: 200, body: { jsonrpc: "2.0", id, result: whole } };
}

function failed({ status, code, message, id, data, headers = {} }: RpcError): ServedAnswer {
  const error = data === undefined ? { code, message } : { code, message, data };
  return { status, body: { jsonrpc: "2.0", id, error }, headers };
}

function unauthorized(id: string | number | null): ServedAnswer {
  const message = "Send a key of this service: Authorization: Bearer svc_…";
  const headers = { "www-authenticate": "Bearer" };
  return { ...failed({ status: 401, code: CODES.unauthorized, message, id }), headers };
}
