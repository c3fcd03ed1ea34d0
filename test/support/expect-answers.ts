import { expect } from "vitest";
import { DECIDED_HEADER } from "../../src/contract/headers.ts";
import { sendAll, type Sent } from "./observed-decision.ts";

/** By name: what is sent, and the status of the response. */
export type Cases = Record<string, readonly [sent: Sent, status: number]>;

/** Each gets its response, is logged once, and is counted as one request, and as a decision if it is one. */
export async function expectAnswers(cases: Cases): Promise<void> {
  const sent = Object.fromEntries(Object.entries(cases).map(([name, [one]]) => [name, one]));
  const answers = await sendAll(sent);
  const pick = <T>(part: (name: string) => T) =>
    Object.fromEntries(Object.keys(cases).map((name) => [name, part(name)]));
  const counted = (name: string, series: string, by = "") =>
    answers[name]?.counts.filter((count) => count.startsWith(series) && count.endsWith(by)).length;
  expect(pick((name) => answers[name]?.status)).toEqual(pick((name) => cases[name]?.[1]));
  expect(pick((name) => answers[name]?.log.length)).toEqual(pick(() => 1));
  // While a long one is sent, the isolate may serve others, which end in other ways.
  expect(pick((name) => counted(name, "svc_requests", `\t${cases[name]?.[1]} 1`))).toEqual(pick(() => 1));
  const isAllowed = (name: string) =>
    answers[name]?.status === 200 &&
    answers[name].headers[DECIDED_HEADER] !== undefined &&
    !isDry(sent[name]);
  const allowed = Object.keys(cases).filter(isAllowed);
  expect(allowed.filter((name) => counted(name, "svc_decisions") !== 1)).toEqual([]);
}

function isDry(sent: Sent | undefined): boolean {
  return typeof sent?.body === "string" && sent.body.includes('"dry_run":true');
}

/** The same, with each request sent with this key. */
export function expectAnswersWith(key: string, cases: Cases): Promise<void> {
  const keyed = Object.entries(cases).map(([name, [sent, status]]) => [
    name,
    [{ key, ...sent }, status] as const,
  ]);
  return expectAnswers(Object.fromEntries(keyed) as Cases);
}
