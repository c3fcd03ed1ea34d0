import type { Call } from "../call.ts";
import { orgObject } from "../region/home.ts";
import { type ObjectBackground, waitFor } from "./gates.ts";

/** What a request gives the gate of its org. */
export function backgroundOf(
  call: Pick<Call, "env" | "settings" | "context" | "home">,
  orgId: string,
): ObjectBackground {
  return {
    object: () => orgObject(call.env, call.settings, orgId, call.home),
    waitUntil: (work) => call.context.waitUntil(work),
    now: Date.now,
    wait: waitFor,
  };
}
