import { isRefusal } from "../../contract/refusal.ts";
import { digest } from "../../contract/resources/digests.ts";
import { digestOf } from "../../domain/digest/digest.ts";
import { operation, reply } from "../../edge/request/operation.ts";

export const previewDigest = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/digests/{name}/preview",
    summary: "Make a digest now, and send it to nobody",
    description: "Of the last period that is over.",
    role: "viewer",
    scope: "webhooks:read",
    freeParams: ["name"],
    reply: { 200: digest },
    refuses: [],
  },
  async (call) => {
    const read = await call.org.query("digestFacts", { name: call.params.name });
    return isRefusal(read) ? read : reply(200, digestOf(read.body));
  },
);
