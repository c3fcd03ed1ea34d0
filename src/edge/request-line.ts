import type { DecidedAt } from "../contract/decision.ts";
import { TimeText } from "../domain/time-text.ts";

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
}

const moment = new TimeText();

/** One line of JSON, built by hand for speed. The method, the org of a path and a name in `key` may need escaping. */
export function requestText(line: RequestLine): string {
  const { trace, route, status, code, org, key, region, ms, decided } = line;
  const cutOff = line.isCutOff === true ? ',"cut_off":true' : "";
  const place = decided === undefined ? "" : `,"decided":"${decided}"`;
  return `{"at":"${moment.of(line.startedAt)}","trace":"${trace}","method":${JSON.stringify(line.method)},"route":${quoted(route)},"status":${status},"code":${quoted(code)},"org":${JSON.stringify(org)},"key":${JSON.stringify(key)},"region":"${region}","ms":${ms}${cutOff}${place}}`;
}

function quoted(text: string | null): string {
  return text === null ? "null" : `"${text}"`;
}
