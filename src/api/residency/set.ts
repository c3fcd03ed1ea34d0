import { newResidency, residency } from "../../contract/resources/residency.ts";
import { operation } from "../../edge/request/operation.ts";

export const setResidency = operation(
  {
    method: "PUT",
    path: "/v1/orgs/{id}/residency",
    summary: "Set the regions that may serve your organization's calls",
    description:
      "A call that arrives in a region outside the list is refused with `residency_violation` and is not forwarded. The list must include the home region and may contain only known regions. Null removes the rule. This operation itself is exempt from the rule. When the call returns, the rule applies in every region. Requires a key with every scope of an owner.",
    role: "owner",
    scope: "org:write",
    allScopes: true,
    ifMatch: true,
    body: newResidency,
    reply: { 200: residency },
    refuses: [],
  },
  (call) => call.org.command("setResidency", { regions: call.body.regions }),
);
