import { DRY_RUN_HEADER, TRACE_HEADER } from "../../contract/headers.ts";
import { parseCidr } from "../../domain/network/address.ts";
import type { Caller } from "../../edge/request/call.ts";
import type { OwnSession } from "../../contract/resources/sessions.ts";
import { markInternal } from "../../edge/identity/internal-caller.ts";
import type { OrgSnapshot } from "../../gate/snapshot/snapshot.ts";
import type { Answer, Api } from "./visit.ts";

/** The person of a session as an API caller, with the session's role and the request's address. */
export function callerOf(session: OwnSession, org: OrgSnapshot, address: string): Caller {
  return {
    actor: { kind: "session", id: session.id, role: session.role, onBehalfOf: null, address },
    role: session.role,
    scopes: null,
    org: { id: org.id, snapshot: org, allowList: org.ipAllowList.flatMap((text) => parseCidr(text) ?? []) },
  };
}

/** The options of a request that writes. */
export interface WriteOptions {
  readonly once: string;
  readonly ifMatch?: string;
  readonly isTrial?: boolean;
}

export type Dispatch = (request: Request) => Response | Promise<Response>;

/** Hands a request of the console to the API's own router, vouched for as `caller`. */
export function dispatchAs(caller: Caller, dispatch: Dispatch, from: Request) {
  return async (
    method: string,
    path: string,
    body: object | ReadableStream<Uint8Array> | null,
    sent: WriteOptions | null,
  ): Promise<Response> => {
    const headers = new Headers();
    const address = from.headers.get("cf-connecting-ip");
    if (address !== null) headers.set("cf-connecting-ip", address);
    const isFile = body instanceof ReadableStream;
    if (body !== null) headers.set("content-type", isFile ? "application/octet-stream" : "application/json");
    if (sent !== null) headers.set("idempotency-key", sent.once);
    if (sent?.isTrial === true) headers.set(DRY_RUN_HEADER, "true");
    if (sent?.ifMatch !== undefined) headers.set("if-match", sent.ifMatch);
    const url = new URL(path, from.url);
    const content = body === null || isFile ? body : JSON.stringify(body);
    const request = new Request(url, { method, headers, body: content });
    return dispatch(markInternal(request, caller));
  };
}

export function apiAs(caller: Caller, dispatch: Dispatch, from: Request): Api {
  const ask = dispatchAs(caller, dispatch, from);
  return {
    get: async <T>(path: string) => readAnswer<T>(await ask("GET", path, null, null)),
    send: async <T>(method: string, path: string, body: object | null, once: string) =>
      readAnswer<T>(await ask(method, path, body, { once })),
    tryPost: async <T>(path: string, body: object) =>
      readAnswer<T>(await ask("POST", path, body, { once: crypto.randomUUID(), isTrial: true })),
  };
}

export async function readAnswer<T>(response: Response): Promise<Answer<T>> {
  const text = await response.text();
  const parsed: unknown = text === "" ? null : JSON.parse(text);
  const { status } = response;
  const trace = response.headers.get(TRACE_HEADER);
  if (status < 400) return { status, body: parsed as T, error: null, trace };
  return { status, body: null, error: (parsed as { error: Answer<T>["error"] }).error, trace };
}
