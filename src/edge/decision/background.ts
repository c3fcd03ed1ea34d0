import type { Call } from "../request/call.ts";
import { orgObject } from "../region/home.ts";
import { objectHere } from "../region/placement.ts";
import { type ObjectBackground, waitFor } from "./gates.ts";

/** Returns what a request gives the gate of its org. */
export function backgroundOf(
  call: Pick<Call, "env" | "settings" | "context" | "home">,
  orgId: string,
): ObjectBackground {
  const { env, settings, home } = call;
  return {
    object: () => orgObject(env, settings, orgId, home),
    isHere: home === settings.SVC_REGION,
    send: async (asked) => await objectHere(env, settings, orgId).decideTogether(asked),
    waitUntil: (work) => call.context.waitUntil(work),
    now: Date.now,
    wait: waitFor,
  };
}
