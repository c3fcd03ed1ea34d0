import { type RegionPass, readPass } from "../../domain/region/pass.ts";
import type { Settings } from "../../settings.ts";
import type { Env } from "../env.ts";
import { reachObject } from "../object/org-door.ts";
import { EPOCH_HEADER, PASS_HEADER, peersOf, secretOf, UNTAKEN_HEADER } from "./peer.ts";
import { objectHere } from "./placement.ts";

/** The real caller, if the request comes from another region of this service. Null for every other request. */
export function passOf(request: Request, settings: Settings, now: number, body?: string): RegionPass | null {
  const text = request.headers.get(PASS_HEADER);
  if (text === null) return null;
  const peers = peersOf(settings);
  if (peers.length === 0) return null;
  const { pathname, search } = new URL(request.url);
  const passed = {
    to: settings.SVC_REGION,
    method: request.method,
    target: pathname + search,
    authorization: request.headers.get("authorization"),
    ...(body === undefined ? {} : { body }),
  };
  const pass = readPass(secretOf(settings), text, passed, now);
  return pass === null || !peers.includes(pass.from) ? null : pass;
}

/**
 * Has the keeper accept the pass of a forwarded call before anything is done. Null if accepted, otherwise the response
 * to the calling region.
 */
export async function acceptPass(
  env: Env,
  settings: Settings,
  pass: RegionPass,
): Promise<Record<string, string> | null> {
  const keeper = objectHere(env, settings, pass.keeper);
  const { nonce, epoch } = pass;
  const passed = await reachObject(async () => await keeper.takePass({ nonce, epoch }));
  return passed.taken ? null : { [EPOCH_HEADER]: passed.epoch, [UNTAKEN_HEADER]: "true" };
}
