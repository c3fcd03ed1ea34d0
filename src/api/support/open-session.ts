import { newSupportSession, supportSession } from "../../contract/resources/support.ts";
import { refuse } from "../../contract/refusal.ts";
import { mintOrgToken, tokenDigest } from "../../domain/key/org-token.ts";
import { doorHome } from "../../edge/region/door-home.ts";
import { askElsewhere } from "../../edge/region/home-elsewhere.ts";
import { operation } from "../../edge/request/operation.ts";
import { orgOfSupportGrant } from "../../platform/support-grants.ts";

export const openSupportSession = operation(
  {
    method: "POST",
    path: "/v1/admin/support-sessions",
    summary: "Open a support session",
    description:
      "Returns a bearer token that is limited to the grant and expires with it. Every request is audited.",
    role: "operator",
    body: newSupportSession,
    reply: { 201: supportSession },
    refuses: ["conflict"],
  },
  async (call) => {
    const orgId = await orgOfSupportGrant(call.env.DB, call.body.grant_id);
    if (orgId === null) return askElsewhere(call);
    const pepper = call.settings.SVC_KEY_PEPPER;
    const token = mintOrgToken(pepper, "support", orgId);
    const digest = tokenDigest(pepper, token);
    // A grant is recorded in the region where it was opened, which may not be the org's home.
    const door = await doorHome(call.env, call.settings, orgId, call.envelope());
    if (door === null) return refuse("not_found");
    return door.command("openSupportSession", { grantId: call.body.grant_id, digest, token });
  },
);
