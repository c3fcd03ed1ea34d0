import { type RegionPass, readPass, signPass } from "../../domain/region-pass.ts";
import type { Settings } from "../../settings.ts";
import type { Env } from "../env.ts";
import { ObjectUnreachable } from "../unreachable.ts";

export const PASS_HEADER = "x-svc-region-pass";

const TIMEOUT_MS = 30_000;

export function isRegion(settings: Settings, name: string): boolean {
  return name === settings.SVC_REGION || Object.hasOwn(settings.SVC_REGIONS, name);
}

/** The regions that this one can reach, itself left out. */
export function peersOf(settings: Settings): string[] {
  return Object.keys(settings.SVC_REGIONS).filter((region) => region !== settings.SVC_REGION);
}

/**
 * Sends a request to another region with a pass. Anything but an answer of this service's own (a network error, an
 * error page of something in between) means that the region is out of reach.
 */
export async function sendToRegion(
  env: Env,
  settings: Settings,
  to: string,
  request: { method: string; target: string; headers: Headers; body: BodyInit | null; signedBody?: string },
  pass: RegionPass,
): Promise<Response> {
  const headers = new Headers(request.headers);
  const { method, target, signedBody } = request;
  const authorization = headers.get("authorization");
  const signed = {
    to,
    method,
    target,
    authorization,
    ...(signedBody === undefined ? {} : { body: signedBody }),
  };
  headers.set(PASS_HEADER, signPass(settings.SVC_KEY_PEPPER, pass, signed));
  const init = { method, headers, body: request.body, redirect: "manual" as const };
  try {
    const response = await reach(env, settings.SVC_REGIONS[to], target, init);
    if (response.headers.get("x-svc-region") === null) throw new Error(`region ${to} gave a foreign answer`);
    return response;
  } catch (error) {
    throw new ObjectUnreachable(String(error), { cause: error });
  }
}

/** A region's entry is either the name of a service binding or a base address. */
async function reach(
  env: Env,
  entry: string | undefined,
  target: string,
  init: RequestInit,
): Promise<Response> {
  if (entry === undefined) throw new Error("no such region");
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  if (/^https?:\/\//.test(entry)) return await fetch(entry.replace(/\/+$/, "") + target, { ...init, signal });
  const binding = (env as unknown as Record<string, Fetcher | undefined>)[entry];
  if (binding === undefined) throw new Error(`no service binding ${entry}`);
  return await binding.fetch(`https://region.internal${target}`, { ...init, signal });
}

/** Who really called, when the request comes from another region of this service; null for every other request. */
export function passOf(request: Request, settings: Settings, now: number, body?: string): RegionPass | null {
  const text = request.headers.get(PASS_HEADER);
  if (text === null) return null;
  const { pathname, search } = new URL(request.url);
  const passed = {
    to: settings.SVC_REGION,
    method: request.method,
    target: pathname + search,
    authorization: request.headers.get("authorization"),
    ...(body === undefined ? {} : { body }),
  };
  return readPass(settings.SVC_KEY_PEPPER, text, passed, now);
}
