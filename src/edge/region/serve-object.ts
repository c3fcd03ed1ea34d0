import type { Context } from "hono";
import { standardHeaders } from "../../contract/headers.ts";
import { refuse } from "../../contract/refusal.ts";
import { logFailure } from "../../log.ts";
import { type BodyHold, unprovenOwner } from "../../domain/body/body-memory.ts";
import { OBJECT_METHODS, type RegionDoor } from "../../org/region-door.ts";
import { isListed } from "../../platform/directory.ts";
import { type Settings, settingsOf } from "../../settings.ts";
import type { Env } from "../env.ts";
import { refuseAtDoor } from "../request/router.ts";
import { callerAddress } from "../request/call.ts";
import { holdBody, readHeld } from "../request/read-bounded.ts";
import { passOf } from "./pass.ts";
import { EPOCH_HEADER, PASS_HEADER, peersOf, UNTAKEN_HEADER } from "./peer.ts";
import { objectHere } from "./placement.ts";
import { LISTED_CALL } from "./remote-org.ts";
import { fromWire, MOST_CALL_BYTES, type ObjectCall, toWire } from "./wire.ts";

/**
 * Untrusted bodies are bounded. The pass covers the body, so a request without a body, or with a large one, is not from
 * another region.
 */
function mayBeOurs(request: Request, settings: Settings): boolean {
  if (peersOf(settings).length === 0) return false;
  const length = Number(request.headers.get("content-length") ?? MOST_CALL_BYTES + 1);
  return request.headers.has(PASS_HEADER) && length <= MOST_CALL_BYTES;
}

/** Serves calls of other regions to an object of this one. Everyone else gets 404. */
export async function serveObject(context: Context<{ Bindings: Env }>): Promise<Response> {
  const settings = settingsOf(context.env);
  const request = context.req.raw;
  if (!mayBeOurs(request, settings)) return refuseAtDoor(request, context.env, refuse("not_found"));
  const hold = holdBody(request, settings, unprovenOwner(callerAddress(request)));
  try {
    return await serveHeld(context, hold);
  } finally {
    hold.release();
  }
}

async function serveHeld({ env, req }: Context<{ Bindings: Env }>, hold: BodyHold): Promise<Response> {
  const request = req.raw;
  const settings = settingsOf(env);
  const bytes = await readHeld(request, MOST_CALL_BYTES, hold);
  const text = bytes === null ? null : new TextDecoder().decode(bytes);
  const pass = text === null ? null : passOf(request, settings, Date.now(), text);
  if (text === null || pass === null) return refuseAtDoor(request, env, refuse("not_found"));
  const headers = standardHeaders(settings.SVC_REGION);
  try {
    const { org, method, args } = fromWire(text) as ObjectCall;
    if (method === LISTED_CALL) {
      // It reads and no more, so a pass that comes twice does no harm, and no object need remember it.
      return new Response(toWire({ result: await isListed(env.DB, org) }), { headers });
    }
    const known = OBJECT_METHODS.find((name) => name === method);
    if (known === undefined) throw new Error(`no method ${method}`);
    const { nonce, epoch } = pass;
    const object = objectHere(env, settings, org) as unknown as RegionDoor;
    const passed = await object.fromRegion({ nonce, epoch }, known, args);
    const passedHeaders = { ...headers, [EPOCH_HEADER]: passed.epoch };
    if (passed.taken) return new Response(toWire({ result: passed.result }), { headers: passedHeaders });
    return new Response("{}", { status: 503, headers: { ...passedHeaders, [UNTAKEN_HEADER]: "true" } });
  } catch (error) {
    logFailure("region", error);
    const failed = (error as { remote?: boolean; retryable?: boolean }) ?? {};
    const status = failed.remote === true && failed.retryable !== true ? 500 : 503;
    return new Response("{}", { status, headers });
  }
}
