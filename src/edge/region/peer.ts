import { REGION_HEADER } from "../../contract/headers.ts";
import { type RegionPass, signPass } from "../../domain/region/pass.ts";
import type { Settings } from "../../settings.ts";
import type { Env } from "../env.ts";
import { ObjectUnreachable } from "../object/unreachable.ts";
import { knownEpoch, rememberEpoch } from "./epoch.ts";

export const PASS_HEADER = "x-svc-region-pass";
/**
 * Response headers between regions: the epoch of the object that keeps the pass, and that the pass was not accepted.
 */
export const EPOCH_HEADER = "x-svc-region-epoch";
export const UNTAKEN_HEADER = "x-svc-region-pass-untaken";

const TIMEOUT_MS = 30_000;
const NONCE_BYTES = 12;

export function isRegion(settings: Settings, name: string): boolean {
  return name === settings.SVC_REGION || Object.hasOwn(settings.SVC_REGIONS, name);
}

/** The other regions that this one can reach. */
export function peersOf(settings: Settings): string[] {
  return Object.keys(settings.SVC_REGIONS).filter((region) => region !== settings.SVC_REGION);
}

interface SentRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Headers;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  readonly signedBody?: string;
}

type PassCaller = Pick<RegionPass, "keeper" | "trace" | "address">;

interface RegionCall {
  /** The name of the receiving region. */
  readonly to: string;
  readonly request: SentRequest;
  readonly caller: PassCaller;
}

/**
 * Sends a request to another region with a pass. Anything other than a response of this service (a network error, an
 * error page of an intermediary) means that the region is unavailable. An object that has restarted refuses the pass
 * and does nothing; the request is then sent again once, with a pass for the new epoch.
 */
export async function sendToRegion(env: Env, settings: Settings, sent: RegionCall): Promise<Response> {
  const first = await sendOnce(env, settings, sent);
  if (!first.headers.has(UNTAKEN_HEADER)) return first;
  await first.body?.cancel();
  return sendOnce(env, settings, sent);
}

/** After a pause of the runtime, the first connections that are taken from its pool may be ones that the other region has ended. */
const MOST_LOST = 3;

/**
 * If the connection is lost, the same pass goes over another. A region takes it once, so the request is not done twice; a pass that
 * is refused then may be one whose answer was lost.
 */
async function sendOnce(env: Env, settings: Settings, sent: RegionCall): Promise<Response> {
  const signed = signedRequest(settings, sent);
  const address = settings.SVC_REGIONS[sent.to];
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    for (let lost = 0; ; lost += 1) {
      const response = await reach(env, address, sent.request.target, { ...signed, signal }).catch(
        (error: unknown) => {
          if (lost === MOST_LOST || !isConnectionLost(error)) throw error;
        },
      );
      if (response === undefined) continue;
      const checked = checkedResponse(sent, response);
      if (lost > 0 && checked.headers.has(UNTAKEN_HEADER))
        throw new Error("it is unknown whether the request was served");
      return checked;
    }
  } catch (error) {
    throw new ObjectUnreachable(String(error), { cause: error });
  }
}

/** Nobody answered, and not because the time was over. */
const isConnectionLost = (error: unknown): boolean => (error as Error).name !== "TimeoutError";

function signedRequest(settings: Settings, { to, request, caller }: RegionCall): RequestInit {
  const headers = new Headers(request.headers);
  const { method, target, signedBody } = request;
  const signed = {
    to,
    method,
    target,
    authorization: headers.get("authorization"),
    ...(signedBody === undefined ? {} : { body: signedBody }),
  };
  headers.set(PASS_HEADER, signPass(secretOf(settings), newPass(settings, to, caller), signed));
  return { method, headers, body: request.body, redirect: "manual" };
}

function checkedResponse({ to, caller }: RegionCall, response: Response): Response {
  if (response.headers.get(REGION_HEADER) === null) {
    throw new Error(`region ${to} gave a foreign answer`);
  }
  const epoch = response.headers.get(EPOCH_HEADER);
  if (epoch !== null) rememberEpoch(to, caller.keeper, epoch);
  return response;
}

function newPass(settings: Settings, to: string, caller: PassCaller): RegionPass {
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(NONCE_BYTES))).toString("base64url");
  const epoch = knownEpoch(to, caller.keeper) ?? "";
  return { at: Date.now(), from: settings.SVC_REGION, ...caller, nonce, epoch };
}

/** Without this setting there are no other regions: nothing is sent and nothing is accepted. */
export function secretOf({ SVC_REGION_SECRET }: Settings): string {
  if (SVC_REGION_SECRET === undefined) throw new Error("this region knows no other");
  return SVC_REGION_SECRET;
}

/** A region's entry is either the name of a service binding or a base address. */
async function reach(
  env: Env,
  entry: string | undefined,
  target: string,
  init: RequestInit,
): Promise<Response> {
  if (entry === undefined) throw new Error("no such region");
  if (/^https?:\/\//.test(entry)) return await fetch(entry.replace(/\/+$/, "") + target, init);
  const binding = (env as unknown as Record<string, Fetcher | undefined>)[entry];
  if (binding === undefined) throw new Error(`no service binding ${entry}`);
  return await binding.fetch(`https://region.internal${target}`, init);
}
