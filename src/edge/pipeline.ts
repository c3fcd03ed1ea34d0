import type { Context } from "hono";
import { etagOf } from "../contract/etag.ts";
import { routeOf } from "../contract/operation.ts";
import { envelopeText, isRefusal, type Refusal, refusalHeaders, refuse } from "../contract/refusal.ts";
import { logFailure, logLine } from "../log.ts";
import { type Settings, settingsOf } from "../settings.ts";
import { checkAddress, checkOrgActive, checkPath, checkRole, checkScope, checkTenant } from "./admit.ts";
import { readBody, readIdempotencyKey } from "./body.ts";
import { Call } from "./call.ts";
import { countDecision } from "./count-decision.ts";
import type { Env } from "./env.ts";
import { checkRate, countMalformed } from "./decision/request-rate.ts";
import { identify } from "./identify.ts";
import { noteDeprecated } from "./note-deprecated.ts";
import type { Operation, Result } from "./operation.ts";
import { withReachableDatabase } from "./reachable-database.ts";
import { recheck } from "./recheck.ts";
import { passOf, untaken } from "./region/pass.ts";
import { type Relayed, settleRegion } from "./region/settle.ts";
import { answerRecorded, checkSupport } from "./support.ts";
import { isUnreachable } from "./unreachable.ts";
import { validateBody, validateQuery } from "./validate.ts";

type Check = (call: Call) => Refusal | null | Promise<Refusal | Relayed | null>;

/** Checks of the caller, before the call is read, in the contract's order. */
const ADMISSION: readonly Check[] = [
  checkPath,
  checkOrgActive,
  checkAddress,
  checkTenant,
  checkSupport,
  checkRole,
  checkScope,
  settleRegion,
  checkRate,
];

/** Checks of the call itself, in the contract's order. */
const FORM: readonly Check[] = [
  validateQuery,
  readBody,
  recheck,
  (call) => (call.op.lazyBody === true ? null : validateBody(call)),
  readIdempotencyKey,
];

async function answer(operation: Operation, call: Call): Promise<Result> {
  if (operation.contract.role !== "anyone") {
    const refusal = await identify(call);
    if (refusal !== null) return refusal;
  }
  const refused = await firstRefusal(ADMISSION, call);
  if (refused !== null) return refused;
  const malformed = await firstRefusal(FORM, call);
  if (malformed !== null) return (await countMalformed(call)) ?? malformed;
  return operation.handle(call);
}

async function firstRefusal(checks: readonly Check[], call: Call): Promise<Refusal | Relayed | null> {
  for (const check of checks) {
    const found = check(call);
    const refusal = found instanceof Promise ? await found : found;
    if (refusal !== null) return refusal;
  }
  return null;
}

interface Outgoing {
  readonly status: number;
  readonly text: string | null;
  readonly code: string | null;
  readonly headers: Record<string, string>;
  readonly stream?: ReadableStream<Uint8Array>;
}

/** The result as bytes and headers. A reply that breaks its contract is an internal error. */
function encode(operation: Operation, result: Exclude<Result, Relayed>): Outgoing {
  if (isRefusal(result)) {
    return {
      status: result.status,
      text: envelopeText(result),
      code: result.code,
      headers: refusalHeaders(result),
    };
  }
  if ("stream" in result) {
    return {
      status: 200,
      text: null,
      code: null,
      headers: { "content-type": result.media },
      stream: result.stream,
    };
  }
  if ("body" in result) {
    checkReply(operation, result.status, result.body);
    const listed = result.body !== null && ("next_cursor" in result.body || Array.isArray(result.body));
    const headers: Record<string, string> = {};
    if (result.body !== null && !listed && operation.contract.role !== "anyone")
      headers["etag"] = etagOf(result.body);
    return { status: result.status, text: JSON.stringify(result.body), code: null, headers };
  }
  if (result.code === null && operation.contract.trustsReply !== true) {
    checkReply(operation, result.status, result.text === null ? null : JSON.parse(result.text));
  }
  const headers: Record<string, string> = {};
  if (result.etag !== null) headers["etag"] = result.etag;
  if (result.replayed) headers["idempotent-replayed"] = "true";
  return { status: result.status, text: result.text, code: result.code, headers };
}

function checkReply(operation: Operation, status: number, body: unknown): void {
  const shape = operation.contract.reply[status];
  if (shape === undefined) throw new Error(`${routeOf(operation.contract)} declares no reply ${status}`);
  if (shape === null) return;
  const checked = shape.safeParse(body);
  if (!checked.success) {
    throw new Error(`${routeOf(operation.contract)} broke its reply ${status}: ${checked.error.message}`);
  }
}

function failed(trace: string, error: unknown): Refusal {
  logFailure(trace, error);
  return isUnreachable(error) ? refuse("service_unavailable") : refuse("internal");
}

function log(call: Call, operation: Operation, status: number, code: string | null): void {
  logLine({
    at: new Date(call.startedAt).toISOString(),
    trace: call.trace,
    method: call.request.method,
    route: operation.contract.path,
    status,
    code,
    org: call.caller === null ? null : call.orgId,
    key: call.caller === null ? null : call.caller.actor.id,
    region: call.settings.SVC_REGION,
    ms: Date.now() - call.startedAt,
    ...(call.isCutOff ? { cut_off: true } : {}),
    ...(call.headers["x-svc-decided"] === undefined ? {} : { decided: call.headers["x-svc-decided"] }),
  });
}

function respond(call: Call, operation: Operation, result: Result): Response {
  if ("relayed" in result) {
    log(call, operation, result.relayed.status, null);
    return result.relayed;
  }
  let out: Outgoing;
  try {
    out = encode(operation, result);
  } catch (error) {
    out = encode(operation, failed(call.trace, error));
  }
  log(call, operation, out.status, out.code);
  countDecision(call, out.code);
  const headers = { ...standardHeaders(call.trace, call.settings), ...call.headers, ...out.headers };
  if (out.text === null && out.stream === undefined)
    delete (headers as Record<string, string>)["content-type"];
  return new Response(out.stream ?? out.text, { status: out.status, headers });
}

function standardHeaders(trace: string, settings: Settings) {
  return {
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-svc-trace-id": trace,
    "x-svc-region": settings.SVC_REGION,
  };
}

/** The handler of one operation: the only way from a request to an answer. */
export function serve(operation: Operation) {
  return async (context: Context<{ Bindings: Env }>): Promise<Response> => {
    const settings = settingsOf(context.env);
    const now = Date.now();
    const pass = passOf(context.req.raw, settings, now);
    const call = new Call({
      op: operation.contract,
      request: context.req.raw,
      env: withReachableDatabase(context.env),
      settings,
      context: context.executionCtx as ExecutionContext,
      params: context.req.param(),
      trace: pass?.trace ?? crypto.randomUUID(),
      now,
      pass,
    });
    let result: Result;
    try {
      const told = pass === null ? null : await untaken(context.env, settings, pass);
      if (told !== null) Object.assign(call.headers, told);
      result = noteDeprecated(
        call,
        told === null ? await answer(operation, call) : refuse("service_unavailable"),
      );
    } catch (error) {
      result = failed(call.trace, error);
    }
    return respond(call, operation, call.caller?.support ? await answerRecorded(call, result) : result);
  };
}

/** A response outside any operation: unknown route, or a failure before one was reached. */
export function refuseAtDoor(request: Request, env: Env, refusal: Refusal, error?: unknown): Response {
  const trace = crypto.randomUUID();
  const at = new Date().toISOString();
  if (error !== undefined) logFailure(trace, error);
  const region = regionOf(env);
  const { status, code } = refusal;
  logLine({
    at,
    trace,
    method: request.method,
    route: null,
    status,
    code,
    org: null,
    key: null,
    region,
    ms: 0,
  });
  return new Response(envelopeText(refusal), {
    status,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-svc-trace-id": trace,
      "x-svc-region": region,
      ...refusalHeaders(refusal),
    },
  });
}

function regionOf(env: Env): string {
  try {
    return settingsOf(env).SVC_REGION;
  } catch {
    return "unknown";
  }
}

/** What a path serves, for `OPTIONS`: answered without a key, as browsers ask. */
export function serveOptions(template: string, methodsOf: (path: string) => readonly string[]) {
  return (context: Context<{ Bindings: Env }>): Response => {
    const settings = settingsOf(context.env);
    const trace = crypto.randomUUID();
    const allow = ["HEAD", "OPTIONS", ...methodsOf(context.req.path)];
    logLine({
      at: new Date().toISOString(),
      trace,
      method: "OPTIONS",
      route: template,
      status: 204,
      code: null,
      org: null,
      key: null,
      region: settings.SVC_REGION,
      ms: 0,
    });
    const { "content-type": _, ...headers } = standardHeaders(trace, settings);
    return new Response(null, {
      status: 204,
      headers: { ...headers, allow: [...new Set(allow)].sort().join(", ") },
    });
  };
}
