import { refusalResponse } from "../adapters/refusal-response.ts";
import { refusedFields } from "../domain/refusal/log-fields.ts";
import { openAiError, type WireRefusal } from "../providers/wire-refusal.ts";
import type { ProxyLine } from "./options.ts";
import type { Target } from "./target.ts";

/** An answer that the proxy makes by itself, and on whose call, once the service has accepted the key. */
export interface OwnAnswer extends WireRefusal {
  readonly by?: { readonly key: string; readonly ask: object };
}

export interface AnsweredRequest {
  readonly method: string;
  /** Null: the path leads to no provider. */
  readonly target: Target | null;
  readonly startedAt: number;
  readonly log?: ((line: ProxyLine) => void) | undefined;
}

/** Writes a line about the answer, and names the line in it. The path is the caller's own text and is not logged. */
export function ownAnswer(answer: OwnAnswer, { method, target, startedAt, log }: AnsweredRequest): Response {
  const { status, code, by } = answer;
  const traceId = answer.traceId ?? crypto.randomUUID();
  log?.({
    at: new Date(startedAt).toISOString(),
    trace: traceId,
    source: "proxy",
    method,
    provider: target?.name ?? null,
    api: target === null ? null : apiName(method, target),
    status,
    code,
    ...namesIn(by?.key ?? ""),
    ms: Date.now() - startedAt,
    ...refusedFields(answer, by?.ask),
  });
  return refusalResponse({ ...answer, traceId }, target?.provider.errorBody ?? openAiError);
}

/** Null: the call is not metered. */
function apiName(method: string, { provider, path }: Target): string | null {
  const route = provider.route(method, path);
  return route.kind === "metered" ? route.api.name : null;
}

const KEY = /^svc_(?:live|test)_(.{26})(.{26})_/;

function namesIn(key: string): { org: string | null; key: string | null } {
  const [, org, id] = KEY.exec(key) ?? [];
  return org === undefined ? { org: null, key: null } : { org: `org_${org}`, key: `key_${id}` };
}
