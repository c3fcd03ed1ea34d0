import type { Api } from "../console/visit.ts";
import { MINUTE_MS } from "../../contract/durations.ts";
import { refusedMessage } from "./refusal-message.tsx";
import { type Ctx, redirectTo, type Web } from "../html.tsx";
import { supportCookie } from "../sign-in/support.ts";

const LONGEST_MS = 60 * MINUTE_MS;

/** Opens a support session under a grant, and leads to the org's console. The session ends with the grant, at the latest. */
export async function enterUnderGrant(context: Ctx, web: Web, api: Api, once: string): Promise<Response> {
  const body = { grant_id: context.req.param("grant_id") };
  const answer = await api.send<{ token: string; expires_at: string }>(
    "POST",
    "/v1/admin/support-sessions",
    body,
    once,
  );
  if (answer.body === null) return refusedMessage(answer, web);
  const { token, expires_at } = answer.body;
  const seconds = Math.ceil(Math.min(LONGEST_MS, Date.parse(expires_at) - Date.now()) / 1000);
  return redirectTo("/console", web, {
    "set-cookie": supportCookie(context.req.raw, token, Math.max(seconds, 1)),
  });
}
