import { PLATFORM_ORG_ID } from "../../contract/platform-org.ts";
import { invalidField, isRefusal, refuse } from "../../contract/refusal.ts";
import { movedOrg, orgMove } from "../../contract/resources/orgs.ts";
import { claimKey } from "../../edge/request/claim-key.ts";
import { operation, reply } from "../../edge/request/operation.ts";
import { reachObject } from "../../edge/object/org-door.ts";
import { orgObject } from "../../edge/region/home.ts";
import { moveOrg as moved } from "../../edge/region/move.ts";
import { isRegion } from "../../edge/region/peer.ts";
import { knownRegions } from "../../settings.ts";

export const moveOrg = operation(
  {
    method: "POST",
    path: "/v1/admin/orgs/{org_id}/move",
    summary: "Move an organization to another region",
    description:
      "Its writes wait while it is copied; reads go on. The copy is verified before the organization exists there, and nothing stays here but where it went. If the call fails, the organization is whole in one of the regions: send the same call again.",
    role: "operator",
    body: orgMove,
    reply: { 200: movedOrg },
    refuses: ["conflict", "residency_violation"],
  },
  async (call) => {
    const { to } = call.body;
    const here = call.settings.SVC_REGION;
    const orgId = call.params.org_id;
    if (!isRegion(call.settings, to)) {
      const known = knownRegions(call.settings).toSorted().join(", ");
      return invalidField("to", "unknown_region", `is not a known region; the regions are ${known}`);
    }
    const object = orgObject(call.env, call.settings, orgId, call.home);
    if ((await reachObject(async () => await object.whereabouts())) === null) return refuse("not_found");
    const shown = { org_id: orgId, from_region: here, home_region: to };
    if (to === call.home)
      return reply(200, { ...shown, moved: false, archive_id: null, writes_waited_ms: 0 });
    const platform = call.door(PLATFORM_ORG_ID);
    const claimed = await claimKey<"recordMove">(call, platform);
    if ("outcome" in claimed) return claimed.outcome as never;
    const done = await moved(call, orgId, { to, isArchiveCopied: call.body.archive_copied === true });
    if (isRefusal(done)) return done as never;
    const { archiveId, waitedMs } = done;
    const record = {
      ...shown,
      home_region: done.to,
      moved: true,
      archive_id: archiveId,
      writes_waited_ms: waitedMs,
    };
    if (done.to !== to) {
      await platform.command("recordMove", record, { ...claimed.envelope, idempotency: null });
      const message = `An earlier call has moved the organization to region ${done.to}. Send the same call again to move it on.`;
      return refuse("conflict", {}, { message });
    }
    return (await platform.command("recordMove", record, claimed.envelope)) as never;
  },
);
