import { logFailure } from "../../log.ts";
import type { Call } from "./call.ts";
import { deprecationCopy } from "./deprecation.ts";
import type { Result } from "./operation-types.ts";

/** Records which of the org's keys called a deprecated route. It never delays the response. */
export function noteDeprecated(call: Call, result: Result): void {
  const { method, path: route } = call.op;
  if (call.caller?.org && !("relayed" in result) && deprecationCopy.find(method, route) !== undefined) {
    const { actor, trace } = { actor: call.actor, trace: call.trace };
    const door = call.door(call.caller.org.id, { actor, trace, idempotency: null, ifMatch: null }, call.home);
    const noted = door.command("noteDeprecatedCall", { method, route });
    call.context.waitUntil(noted.catch((error: unknown) => logFailure(trace, error)));
  }
}
