import type { Caller } from "./call.ts";

/**
 * Requests that this Worker makes to itself for somebody whom it has identified already: the console calls the API in
 * this way. They are known by the object that they are, so nothing that came over a network can be among them.
 */
const vouched = new WeakMap<Request, Caller>();

export function vouchFor(request: Request, caller: Caller): Request {
  vouched.set(request, caller);
  return request;
}

export function vouchedCaller(request: Request): Caller | null {
  return vouched.get(request) ?? null;
}
