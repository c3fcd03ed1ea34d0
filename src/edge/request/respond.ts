import type { DecidedAt } from "../../contract/decision.ts";
import { etagOfVersion, versionOf } from "../../contract/etag.ts";
import { DECIDED_HEADER, refusalInHeader, standardHeaders, TRACE_HEADER } from "../../contract/headers.ts";
import { type OperationContract, routeOf } from "../../contract/operation.ts";
import { envelopeText, isRefusal, type Refusal, refusalHeaders, refuse } from "../../contract/refusal.ts";
import { BoundedMap } from "../../domain/cache/bounded-map.ts";
import { cached } from "../../domain/cache/cached.ts";
import { refusedFields } from "../../domain/refusal/log-fields.ts";
import { writeRaw } from "../../domain/text/raw-json.ts";
import { counters } from "../../counters.ts";
import { logFailure, logNow, logSoon } from "../../log.ts";
import { countDecision, placeOf } from "../decision/count-decision.ts";
import { internalCaller } from "../identity/internal-caller.ts";
import { reportBroken } from "../object/report-damage.ts";
import { mayBeDamaged, unavailable } from "../object/unreachable.ts";
import type { RelayedReply } from "../region/settle.ts";
import type { Call } from "./call.ts";
import type { Result } from "./operation-types.ts";
import { isInShare, requestText } from "./request-line.ts";

interface EncodedReply {
  readonly status: number;
  readonly text: string | null;
  readonly code: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly stream?: ReadableStream<Uint8Array>;
}

const NO_HEADERS = {};

/**
 * The result as bytes and headers. A reply that breaks its contract is an internal error. What this Worker reads for its own
 * pages is shown, not sent: it needs no check, which can take longer than the read, and no ETag.
 */
function encode({ op: contract, request }: Call, result: Exclude<Result, RelayedReply>): EncodedReply {
  if (isRefusal(result)) return encodeRefusal(contract, result);
  if ("stream" in result) {
    const { media, stream } = result;
    return { status: 200, text: null, code: null, headers: { "content-type": media }, stream };
  }
  if ("body" in result) {
    if (internalCaller(request) !== null) {
      return {
        status: result.status,
        text: writeRaw(JSON.stringify(result.body)),
        code: null,
        headers: NO_HEADERS,
      };
    }
    checkReply(contract, result.status, result.body);
    const listed = result.body !== null && ("next_cursor" in result.body || Array.isArray(result.body));
    const headers: Record<string, string> = {};
    if (result.body !== null && !listed && contract.role !== "anyone")
      headers["etag"] = etagOfRead(result.body);
    return { status: result.status, text: writeRaw(JSON.stringify(result.body)), code: null, headers };
  }
  const { status, text, code, etag, replayed } = result;
  if (code === null && contract.trustsReply !== true) {
    checkReply(contract, status, text === null ? null : JSON.parse(text));
  }
  if (etag === null && !replayed) return { status, text, code, headers: NO_HEADERS };
  const headers: Record<string, string> = etag === null ? {} : { etag };
  if (replayed) headers["idempotent-replayed"] = "true";
  return { status, text, code, headers };
}

const MOST_ETAGS = 500;
const MOST_VERSION_CHARACTERS = 2000;
/** ETags of what was read lately. Most reads find what the one before found, and making a hash is a tenth of a read. */
const etags = new BoundedMap<string, string>(MOST_ETAGS);

function etagOfRead(body: object): string {
  const version = versionOf(body);
  if (version.length > MOST_VERSION_CHARACTERS) return etagOfVersion(version);
  return cached(etags, version, () => etagOfVersion(version));
}

const texts = new WeakMap<Refusal, string>();

/** A refusal of the isolate is given to many calls, and serialized once. */
function refusalText(refusal: Refusal): string {
  let text = texts.get(refusal);
  if (text === undefined) texts.set(refusal, (text = envelopeText(refusal)));
  return text;
}

function encodeRefusal(contract: OperationContract, refusal: Refusal): EncodedReply {
  const { status, code } = refusal;
  const text = refusalText(refusal);
  const headers = refusalHeaders(refusal);
  return {
    status,
    text,
    code,
    headers: contract.answersInHeaders === true ? { ...headers, ...refusalInHeader(text) } : headers,
  };
}

/** A denial in the form of a reply keeps its code, which is logged and counted. */
function encodeDenial(contract: OperationContract, refusal: Refusal, reply: object): EncodedReply {
  checkReply(contract, 200, reply);
  return { status: 200, text: JSON.stringify(reply), code: refusal.code, headers: refusalHeaders(refusal) };
}

function checkReply(contract: OperationContract, status: number, body: unknown): void {
  const shape = contract.reply[status];
  if (shape === undefined) throw new Error(`${routeOf(contract)} declares no reply ${status}`);
  if (shape === null) return;
  const checked = shape.safeParse(body);
  if (!checked.success) {
    throw new Error(`${routeOf(contract)} broke its reply ${status}: ${checked.error.message}`);
  }
}

interface LoggedReply {
  readonly status: number;
  readonly code: string | null;
  readonly refusal: Refusal | null;
}

function log(call: Call, { status, code, refusal }: LoggedReply): void {
  const { startedAt, trace, parent, request, op, caller, settings, isCutOff } = call;
  const isAllow = code === null && placeOf(call) !== null;
  if (isAllow && !isInShare(settings.SVC_LOG_DECISIONS, trace)) return;
  const decided = call.headers[DECIDED_HEADER] as DecidedAt | undefined;
  const ms = Date.now() - startedAt;
  const line = requestText({
    startedAt,
    trace,
    method: request.method,
    route: op.path,
    status,
    code,
    org: caller === null ? null : (caller.org?.id ?? call.orgId),
    key: caller === null ? null : caller.actor.id,
    region: settings.SVC_REGION,
    ms,
    isCutOff,
    decided,
    parent,
    refused: refusal === null ? null : refusedFields(refusal, call.body),
  });
  // The error is written at once, whatever happens to this isolate. A denial is no failure, and there may be many.
  if (code === null || decided !== undefined)
    logSoon(line, startedAt + ms, (work) => call.context.waitUntil(work));
  else logNow(line);
}

/** By region and place. A response copies them, with the trace id of the moment, which is cheaper than building them. */
const common = new Map<string, Headers>();

function commonHeaders(region: string, decided = ""): Headers {
  return cached(common, `${region} ${decided}`, () => {
    const headers = new Headers(standardHeaders(region));
    if (decided !== "") headers.set(DECIDED_HEADER, decided);
    return headers;
  });
}

/** Returns what the caller is told of a failure. Its cause is for the log alone. */
export function describeFailure(call: Call, error: unknown): Refusal {
  logFailure(call.trace, error);
  if (mayBeDamaged(error)) reportBroken(call, error);
  return unavailable(error, call.caller?.actor.kind === "operator") ?? refuse("internal");
}

export function respond(call: Call, result: Result): Response {
  const contract = call.op;
  if ("relayed" in result) {
    log(call, { status: result.relayed.status, code: null, refusal: null });
    return result.relayed;
  }
  let out: EncodedReply;
  try {
    const denial = call.caller !== null && isRefusal(result) ? contract.denialReply?.(result) : null;
    out = denial && isRefusal(result) ? encodeDenial(contract, result, denial) : encode(call, result);
  } catch (error) {
    out = encodeRefusal(contract, describeFailure(call, error));
  }
  log(call, { ...out, refusal: isRefusal(result) ? result : null });
  countDecision(call, out.code);
  // A path can name any org, also one that does not exist.
  const callersOrg = call.caller?.org ?? null;
  if (callersOrg !== null) {
    const { status, code } = out;
    const waitedMs = Date.now() - call.startedAt;
    counters.orgs.note(callersOrg.id, { status, code, place: placeOf(call) ?? "other", waitedMs });
  }
  return written(call, out);
}

function written(call: Call, { status, text, stream, headers: more }: EncodedReply): Response {
  const { trace, headers: own, settings } = call;
  const shared = commonHeaders(settings.SVC_REGION, own[DECIDED_HEADER]);
  shared.set(TRACE_HEADER, trace);
  const response = new Response(stream ?? text, { status, headers: shared });
  for (const name in own) if (name !== DECIDED_HEADER) response.headers.set(name, own[name] ?? "");
  for (const name in more) response.headers.set(name, more[name] ?? "");
  if (text === null && stream === undefined) response.headers.delete("content-type");
  return response;
}
