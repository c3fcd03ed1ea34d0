import { z } from "zod";
import { idShape } from "../../contract/ids.ts";
import { refuse } from "../../contract/refusal.ts";
import { timestamp } from "../../contract/shapes.ts";
import { mintOrgToken, tokenDigest } from "../../domain/org-token.ts";
import { doorHome } from "../../edge/region/door-home.ts";
import { askElsewhere } from "../../edge/region/elsewhere.ts";
import { operation } from "../../edge/operation.ts";
import { orgOfSupportGrant } from "../../platform/support-grants.ts";

export const openSupportSession = operation(
  {
    method: "POST",
    path: "/v1/admin/support-sessions",
    summary: "Come in under a support grant",
    description:
      "The answer's token is a bearer that acts inside the grant, and ends with it. Every request is audited.",
    role: "operator",
    body: z.strictObject({ grant_id: idShape("grt") }),
    reply: {
      201: z.object({
        token: z.string().meta({ description: "Shown here, and never again." }),
        expires_at: timestamp,
      }),
    },
    refuses: ["conflict"],
  },
  async (call) => {
    const orgId = await orgOfSupportGrant(call.env.DB, call.body.grant_id);
    if (orgId === null) return askElsewhere(call);
    const pepper = call.settings.SVC_KEY_PEPPER;
    const token = mintOrgToken(pepper, "support", orgId);
    const digest = tokenDigest(pepper, token);
    // A grant is noted where it was opened, which need not be the org's home.
    const door = await doorHome(call.env, call.settings, orgId, call.envelope());
    if (door === null) return refuse("not_found");
    return door.command("openSupportSession", { grantId: call.body.grant_id, digest, token });
  },
);
