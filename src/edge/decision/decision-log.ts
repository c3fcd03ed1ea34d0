import { decisionSeries, requestSeries, waitBucket, waitSeries } from "../../contract/metrics.ts";
import { type DecidedAt, DECISION } from "../../contract/decision.ts";
import { logSoon } from "../../log.ts";
import { cached } from "../../domain/cache/cached.ts";
import { DENIALS } from "./count-decision.ts";
import { counters, flushIn } from "../../counters.ts";
import type { RefusedFields } from "../../domain/refusal/log-fields.ts";
import type { TraceParent } from "../../domain/text/traceparent.ts";
import type { Env } from "../env.ts";
import type { Settings } from "../../settings.ts";
import { isInShare, requestText } from "../request/request-line.ts";
import type { Asker } from "../../gate/snapshot/caller.ts";

interface Answered {
  readonly asker: Asker;
  readonly settings: Settings;
  readonly status: number;
  readonly code: string | null;
  readonly place: DecidedAt;
  readonly ms: number;
  readonly dry: boolean;
  readonly refused: RefusedFields | null;
}

interface Call {
  readonly trace: string;
  readonly startedAt: number;
  readonly parent: TraceParent | null;
  readonly env: Env;
  waitUntil(work: Promise<unknown>): void;
}

/** What every decision leaves behind: its counts, and its log line. */
export function logDecision(call: Call, answered: Answered): void {
  const { code, dry, settings, status, place, asker } = answered;
  count(call, answered);
  counters.orgs.note(asker.orgId, { status, code, place });
  if (code !== null || dry || isInShare(settings.SVC_LOG_DECISIONS, call.trace)) log(call, answered);
}

function log(call: Call, { asker, settings, status, code, place, ms, refused }: Answered): void {
  const { trace, startedAt, parent } = call;
  const { method, path: route } = DECISION;
  const { orgId: org, keyId: key } = asker;
  const line = {
    startedAt,
    trace,
    method,
    route,
    status,
    code,
    org,
    key,
    region: settings.SVC_REGION,
    ms,
    decided: place,
    parent,
    refused,
  };
  logSoon(requestText(line), startedAt + ms, (work) => call.waitUntil(work));
}

const requests = new Map<number, string>();
/** By code. Null for an allow. */
const decisions = { edge: new Map<string | null, string>(), object: new Map<string | null, string>() };
const waits = { edge: new Map<number, string>(), object: new Map<number, string>() };

function count(call: Call, { status, code, place, ms, dry }: Answered): void {
  counters.count(cached(requests, status, () => requestSeries(DECISION.path, DECISION.method, status)));
  const bucket = waitBucket(ms);
  counters.count(cached(waits[place], bucket, () => waitSeries(place, bucket)));
  if (ms > 0) counters.count(waitSeries(place, "ms"), ms);
  if (!dry && (code === null || DENIALS.has(code))) {
    const verdict = code === null ? "allow" : "deny";
    counters.count(cached(decisions[place], code, () => decisionSeries(verdict, code, place)));
  }
  const delayMs = counters.claimFlush(call.startedAt);
  if (delayMs !== undefined) call.waitUntil(flushIn(call.env.COUNTERS, delayMs));
}
