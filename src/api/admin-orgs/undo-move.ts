import { refuse } from "../../contract/refusal.ts";
import { stayedOrg } from "../../contract/resources/orgs.ts";
import { operation, reply } from "../../edge/request/operation.ts";
import { reachObject } from "../../edge/object/org-door.ts";
import { refuseChanged, isThere } from "../../edge/region/move.ts";
import { objectHere } from "../../edge/region/placement.ts";

export const undoMove = operation(
  {
    method: "DELETE",
    path: "/v1/admin/orgs/{org_id}/move",
    summary: "Give up a move that has not reached the other region",
    description:
      "The organization goes on where it was. If the other region has it already, this is refused.",
    role: "operator",
    reply: { 200: stayedOrg },
    refuses: ["not_found", "conflict"],
  },
  async (call) => {
    const orgId = call.params.org_id;
    const source = objectHere(call.env, call.settings, orgId);
    const move = await reachObject(async () => await source.moveUnderWay());
    if (move === null)
      return refuse("not_found", {}, { message: "No move of this organization is under way." });
    if (move.attempt !== null && (await isThere(call, orgId, move))) {
      const message = `Region ${move.toRegion} has the organization already. Send the same POST again to complete the move.`;
      return refuse("conflict", {}, { message });
    }
    if (!(await reachObject(async () => await source.endMove(move.id, "stayed", move.attempt))))
      return refuseChanged();
    return reply(200, { org_id: orgId, home_region: call.settings.SVC_REGION });
  },
);
