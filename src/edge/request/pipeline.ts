import type { Context } from "hono";
import type { DecidedAt } from "../../contract/decision.ts";
import { etagOf } from "../../contract/etag.ts";
import { DECIDED_HEADER, refusalInHeader, standardHeaders, TRACE_HEADER } from "../../contract/headers.ts";
import { routeOf } from "../../contract/operation.ts";
import { envelopeText, isRefusal, type Refusal, refusalHeaders, refuse } from "../../contract/refusal.ts";
import { refusedFields } from "../../domain/refusal/log-fields.ts";
import { writeRaw } from "../../domain/text/raw-json.ts";
import { logFailure, logNow } from "../../log.ts";
import { settingsOf } from "../../settings.ts";
import {
  checkAddress,
  checkOrgActive,
  checkPath,
  checkRole,
  checkScope,
  checkTenant,
} from "../identity/admit.ts";
import { checkIfMatch, readBody, readIdempotencyKey } from "./body.ts";
import { Call } from "./call.ts";
import { counters } from "../../counters.ts";
import { countDecision, placeOf } from "../decision/count-decision.ts";
import { checkCustomer } from "../identity/customer.ts";
import type { Env } from "../env.ts";
import { checkRate, countMalformed } from "../decision/request-rate.ts";
import { foretoldOf, replyOf } from "../decision/foretold.ts";
import { noteFreedCapacity } from "../decision/capacity-freed.ts";
import { identify, noteEndedCall } from "../identity/identify.ts";
import { noteDeprecated } from "./note-deprecated.ts";
import type { Operation, Result } from "./operation.ts";
import { withReachableDatabase } from "../object/reachable-database.ts";
import { recheck } from "../identity/recheck.ts";
import { isInShare, requestText } from "./request-line.ts";
import { passOf, untaken } from "../region/pass.ts";
import { type Relayed, settleRegion } from "../region/settle.ts";
import { answerRecorded, checkSupport } from "../support/support.ts";
import { unavailable } from "../object/unreachable.ts";
import { validateBody, validateHeaders, validateQuery } from "./validate.ts";

type Check = (call: Call) => Refusal | null | Promise<Refusal | Relayed | null>;

/** Checks of the caller, before the call is read, in the contract's order. */
const ADMISSION: readonly Check[] = [
  checkPath,
  checkOrgActive,
  checkAddress,
  checkCustomer,
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
  validateHeaders,
  readBody,
  recheck,
  (call) => (call.op.lazyBody === true ? null : validateBody(call)),
  checkIfMatch,
  readIdempotencyKey,
];

async function answer(operation: Operation, call: Call): Promise<Result> {
  if (operation.contract.role !== "anyone") {
    const refusal = await identify(call);
    if (refusal !== null) return refusal;
  }
  const refused = await firstRefusal(ADMISSION, call);
  if (refused !== null) return endedOr(call, refused);
  const malformed = await firstRefusal(FORM, call);
  if (malformed !== null) return endedOr(call, (await countMalformed(call)) ?? malformed);
  return operation.handle(call);
}

/** A key that has ended is told so before anything else that is wrong with its call. */
function endedOr<R extends Refusal | Relayed>(call: Call, refused: R): R | Refusal {
  return call.caller?.ended !== undefined && isRefusal(refused) ? call.caller.ended : refused;
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
  if (isRefusal(result)) return encodeRefusal(operation, result);
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
    return { status: result.status, text: writeRaw(JSON.stringify(result.body)), code: null, headers };
  }
  if (result.code === null && operation.contract.trustsReply !== true) {
    checkReply(operation, result.status, result.text === null ? null : JSON.parse(result.text));
  }
  const headers: Record<string, string> = {};
  if (result.etag !== null) headers["etag"] = result.etag;
  if (result.replayed) headers["idempotent-replayed"] = "true";
  return { status: result.status, text: result.text, code: result.code, headers };
}

function encodeRefusal({ contract }: Operation, refusal: Refusal): Outgoing {
  const { status, code } = refusal;
  const text = envelopeText(refusal);
  const told = contract.answersInHeaders === true ? refusalInHeader(text) : {};
  return { status, text, code, headers: { ...refusalHeaders(refusal), ...told } };
}

/** A denial in the form of a reply keeps its code, which is logged and counted. */
function encodeDenial(operation: Operation, refusal: Refusal, reply: object): Outgoing {
  checkReply(operation, 200, reply);
  return { status: 200, text: JSON.stringify(reply), code: refusal.code, headers: refusalHeaders(refusal) };
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
  return unavailable(error) ?? refuse("internal");
}

interface Logged {
  readonly status: number;
  readonly code: string | null;
  readonly refusal: Refusal | null;
}

function log(call: Call, operation: Operation, { status, code, refusal }: Logged): void {
  const { startedAt, trace, parent, request, caller, settings, isCutOff } = call;
  const isAllow = code === null && placeOf(call) !== null;
  if (isAllow && !isInShare(settings.SVC_LOG_DECISIONS, trace)) return;
  const line = requestText({
    startedAt,
    trace,
    method: request.method,
    route: operation.contract.path,
    status,
    code,
    org: caller === null ? null : call.orgId,
    key: caller === null ? null : caller.actor.id,
    region: settings.SVC_REGION,
    ms: Date.now() - startedAt,
    isCutOff,
    decided: call.headers[DECIDED_HEADER] as DecidedAt | undefined,
    parent,
    refused: refusal === null ? null : refusedFields(refusal, call.body),
  });
  logNow(line);
}

function respond(call: Call, operation: Operation, result: Result): Response {
  if ("relayed" in result) {
    log(call, operation, { status: result.relayed.status, code: null, refusal: null });
    return result.relayed;
  }
  let out: Outgoing;
  try {
    const denial = call.caller !== null && isRefusal(result) ? call.op.denialReply?.(result) : null;
    out = denial && isRefusal(result) ? encodeDenial(operation, result, denial) : encode(operation, result);
  } catch (error) {
    out = encode(operation, failed(call.trace, error));
  }
  log(call, operation, { ...out, refusal: isRefusal(result) ? result : null });
  countDecision(call, out.code);
  if (call.caller !== null && call.orgId !== null)
    counters.orgs.note(call.orgId, { status: out.status, code: out.code, place: placeOf(call) ?? "other" });
  const headers: Record<string, string> = {
    ...standardHeaders(call.settings.SVC_REGION),
    [TRACE_HEADER]: call.trace,
    ...call.headers,
    ...out.headers,
  };
  if (out.text === null && out.stream === undefined) delete headers["content-type"];
  return new Response(out.stream ?? out.text, { status: out.status, headers });
}

/** The handler of one operation: the only way from a request to an answer. */
export function serve(operation: Operation) {
  return async (context: Context<{ Bindings: Env }>): Promise<Response> => {
    const settings = settingsOf(context.env);
    const now = Date.now();
    const foretold = foretoldOf(context.req.raw);
    const pass = passOf(context.req.raw, settings, now);
    const call = new Call({
      op: operation.contract,
      request: context.req.raw,
      env: withReachableDatabase(context.env),
      settings,
      context: context.executionCtx as ExecutionContext,
      params: context.req.param(),
      trace: pass?.trace ?? foretold?.trace ?? crypto.randomUUID(),
      now,
      pass,
    });
    let result: Result;
    try {
      // An object that did not answer is not waited for a second time.
      if (foretold !== undefined) replyOf(foretold);
      const told = pass === null ? null : await untaken(context.env, settings, pass);
      if (told !== null) Object.assign(call.headers, told);
      result = noteDeprecated(
        call,
        told === null ? await answer(operation, call) : refuse("service_unavailable"),
      );
    } catch (error) {
      result = failed(call.trace, error);
    }
    if (call.caller?.ended !== undefined && isRefusal(result)) noteEndedCall(call);
    noteFreedCapacity(call);
    return respond(call, operation, call.caller?.support ? await answerRecorded(call, result) : result);
  };
}

/** A response outside any operation: unknown route, or a failure before one was reached. */
export function refuseAtDoor(request: Request, env: Env, refusal: Refusal, error?: unknown): Response {
  const trace = crypto.randomUUID();
  if (error !== undefined) logFailure(trace, error);
  const region = regionOf(env);
  const { status, code } = refusal;
  logNow(requestText({ ...nobodys(trace, region), method: request.method, route: null, status, code }));
  return new Response(envelopeText(refusal), {
    status,
    headers: { ...standardHeaders(region), [TRACE_HEADER]: trace, ...refusalHeaders(refusal) },
  });
}

/** The log fields of a request that was answered at once, whoever sent it. */
function nobodys(trace: string, region: string) {
  return { startedAt: Date.now(), trace, region, org: null, key: null, ms: 0 };
}

function regionOf(env: Env): string {
  try {
    return settingsOf(env).SVC_REGION;
  } catch {
    return "unknown";
  }
}

/** The methods of a path, for `OPTIONS`. It needs no key, because browsers send none. */
export function serveOptions(template: string, methodsOf: (path: string) => readonly string[]) {
  return (context: Context<{ Bindings: Env }>): Response => {
    const { SVC_REGION: region } = settingsOf(context.env);
    const trace = crypto.randomUUID();
    const allow = ["HEAD", "OPTIONS", ...methodsOf(context.req.path)];
    const { method } = context.req;
    logNow(requestText({ ...nobodys(trace, region), method, route: template, status: 204, code: null }));
    const { "content-type": _, ...headers } = standardHeaders(region);
    return new Response(null, {
      status: 204,
      headers: { ...headers, [TRACE_HEADER]: trace, allow: [...new Set(allow)].sort().join(", ") },
    });
  };
}
