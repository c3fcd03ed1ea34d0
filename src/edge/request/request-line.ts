import type { DecidedAt } from "../../contract/decision.ts";
import type { RefusedFields } from "../../domain/refusal/log-fields.ts";
import { TimeText } from "../../domain/time/time-text.ts";
import type { TraceParent } from "../../domain/text/traceparent.ts";
import { withoutSecrets } from "../../log.ts";

/** The log fields of every request. */
export interface RequestLine {
  readonly startedAt: number;
  readonly trace: string;
  readonly method: string;
  readonly route: string | null;
  readonly status: number;
  readonly code: string | null;
  readonly org: string | null;
  readonly key: string | null;
  readonly region: string;
  readonly ms: number;
  readonly isCutOff?: boolean;
  readonly decided?: DecidedAt | undefined;
  /** The trace that the caller's own request belongs to. */
  readonly parent?: TraceParent | null;
  readonly refused?: RefusedFields | null;
}

/**
 * Returns whether a call that was allowed is among the share of them that is logged. Its trace id is random, and chosen
 * here.
 */
export function isInShare(share: number, trace: string): boolean {
  return Number.parseInt(trace.slice(-8), 16) < share * 2 ** 32;
}

const moment = new TimeText();

/** One line of JSON, built by hand for speed. The method, the org of a path and a name in `key` may need escaping. */
export function requestText(line: RequestLine): string {
  const { trace, route, status, code, org, key, region, ms, decided } = line;
  const cutOff = line.isCutOff === true ? ',"cut_off":true' : "";
  const place = decided === undefined ? "" : `,"decided":"${decided}"`;
  const parent = line.parent ? `,"parent_trace":"${line.parent.traceId}"` : "";
  const refused = line.refused ? `,${withoutSecrets(JSON.stringify(line.refused).slice(1, -1))}` : "";
  return `{"at":"${moment.of(line.startedAt)}","trace":"${trace}","method":${JSON.stringify(line.method)},"route":${quoted(route)},"status":${status},"code":${quoted(code)},"org":${JSON.stringify(org)},"key":${JSON.stringify(key)},"region":"${region}","ms":${ms}${cutOff}${place}${parent}${refused}}`;
}

function quoted(text: string | null): string {
  return text === null ? "null" : `"${text}"`;
}
