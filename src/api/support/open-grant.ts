import { newSupportGrant, supportGrant } from "../../contract/resources/support.ts";
import { bodyOf } from "../../edge/object/org-door.ts";
import { isRefusal } from "../../contract/refusal.ts";
import { operation } from "../../edge/request/operation.ts";
import { noteSupportGrant } from "../../platform/support-grants.ts";

export const openSupportGrant = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/support-grants",
    summary: "Open a support grant",
    description: "The scope cannot be changed later. For more access, open another grant.",
    role: "owner",
    scope: "support:write",
    idempotent: true,
    body: newSupportGrant,
    reply: { 201: supportGrant },
    refuses: [],
  },
  async (call) => {
    const { scope, reason, expires_in_seconds: seconds } = call.body;
    const opened = await call.org.command("openSupportGrant", { scope, reason, seconds });
    if (isRefusal(opened) || opened.code !== null) return opened;
    const grant = bodyOf(opened);
    // Repeated on a replay, so that a retry completes a call that was interrupted here.
    const entry = { grantId: grant.id, orgId: call.params.id, expiresAt: Date.parse(grant.expires_at) };
    await noteSupportGrant(call.env.DB, entry, call.startedAt);
    return opened;
  },
);
