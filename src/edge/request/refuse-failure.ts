import { refuse } from "../../contract/refusal.ts";
import { UnreadBody } from "../../domain/body/timed.ts";
import { BadSetting } from "../../setting-kinds.ts";
import type { Env } from "../env.ts";
import { refuseAtDoor } from "./router.ts";
import { refuseUnread } from "./read-bounded.ts";

/** The response to a request that failed outside any operation. */
export function refuseFailure(request: Request, env: Env, error: Error): Response {
  if (error instanceof UnreadBody) return refuseAtDoor(request, env, refuseUnread(error));
  const refusal = error instanceof BadSetting ? refuse("service_unavailable") : refuse("internal");
  return refuseAtDoor(request, env, refusal, error);
}
