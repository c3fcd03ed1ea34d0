import type { Caller } from "../request/call.ts";

/**
 * Requests that this Worker makes to itself for an identified caller, as the console does. They are recognized by
 * object identity, so no request from the network can be one of them.
 */
const internalCallers = new WeakMap<Request, Caller>();

export function markInternal(request: Request, caller: Caller): Request {
  internalCallers.set(request, caller);
  return request;
}

export function internalCaller(request: Request): Caller | null {
  return internalCallers.get(request) ?? null;
}
