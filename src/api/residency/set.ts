import { newResidency, residency } from "../../contract/resources/residency.ts";
import { operation } from "../../edge/operation.ts";

export const setResidency = operation(
  {
    method: "PUT",
    path: "/v1/orgs/{id}/residency",
    summary: "Set where your organization's calls may be served",
    description:
      "A call that arrives in a region which is not listed is refused with `residency_violation`, never sent to another. The list must contain the home region, and only regions of this service; null lifts the rule. This setting itself is not subject to the rule. When the answer comes, it holds in every region. A key needs all scopes of an owner.",
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
