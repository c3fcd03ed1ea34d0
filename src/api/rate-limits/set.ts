import { invalidFields } from "../../contract/refusal.ts";
import { operation } from "../../edge/request/operation.ts";
import type { Operation } from "../../edge/request/operation-types.ts";
import { rateLimits, rateLimitsInput } from "../../contract/resources/rate-limits.ts";

/** `serves` tells whether an operation has this name, such as `POST /v1/edge/decision`. */
export function setRateLimits(serves: (name: string) => boolean): Operation {
  return operation(
    {
      method: "PUT",
      path: "/v1/admin/orgs/{org_id}/rate-limits",
      summary: "Replace an organization's read limit and rate-limit policies",
      description:
        "If only a policy's limit changes, its count is kept. Policies that count tokens, or look at anything beside the route and the key, apply to decisions and runs. In a bulk call they apply to each run separately.",
      role: "operator",
      ifMatch: true,
      dryRun: true,
      body: rateLimitsInput,
      reply: { 200: rateLimits },
      refuses: ["conflict"],
    },
    async (call) => {
      const unknown = call.body.policies.flatMap(({ match: { route } }, index) =>
        route === undefined || serves(route) ? [] : [`policies[${index}].match.route`],
      );
      if (unknown.length > 0) {
        const message = "is not an operation of this API: give its method and route template";
        return invalidFields(unknown.map((field) => ({ field, code: "invalid_value", message })));
      }
      return call.org.command("setRateLimits", call.body);
    },
  );
}
