import type { OrgObject } from "../../org/object.ts";
import { OBJECT_METHODS, type ObjectMethod } from "../../org/region-door.ts";
import type { Settings } from "../../settings.ts";
import type { Env } from "../env.ts";
import { ObjectUnreachable } from "../object/unreachable.ts";
import { sendToRegion } from "./peer.ts";
import { fromWire, type ObjectCall, toWire } from "./wire.ts";

/** Here or in another region. */
export type OrgStub = Pick<DurableObjectStub<OrgObject>, ObjectMethod>;

export const OBJECT_PATH = "/internal/object";
/** Asks the region's directory instead of an object. */
export const LISTED_CALL = "isListed";

/**
 * The object of an org in another region, used as if it were local. Questions, leases and reports go to the home
 * region, and decisions are made where the request arrived.
 */
export function remoteOrg(env: Env, settings: Settings, region: string, org: string): OrgStub {
  const methods = OBJECT_METHODS.map((method) => [
    method,
    (...args: unknown[]) => callObject(env, settings, region, { org, method, args }),
  ]);
  return Object.fromEntries(methods) as OrgStub;
}

/** Returns whether an org has its home in another region, by the directory there. No object is woken for it. */
export async function isListedIn(
  env: Env,
  settings: Settings,
  region: string,
  org: string,
): Promise<boolean> {
  return (await callObject(env, settings, region, { org, method: LISTED_CALL, args: [] })) === true;
}

async function callObject(env: Env, settings: Settings, region: string, call: ObjectCall): Promise<unknown> {
  const body = toWire(call);
  const headers = new Headers({ "content-type": "application/json" });
  const request = { method: "POST", target: OBJECT_PATH, headers, body, signedBody: body };
  const caller = { keeper: call.org, trace: "", address: "" };
  const response = await sendToRegion(env, settings, { to: region, request, caller });
  const text = await response.text();
  if (response.status === 200) return (fromWire(text) as { result?: unknown }).result;
  const failure = new Error(`${call.method} failed in region ${region}`);
  if (response.status === 500) throw Object.assign(failure, { remote: true });
  throw new ObjectUnreachable(`${failure.message} with ${response.status}`);
}
