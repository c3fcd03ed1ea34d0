import { digestSettings } from "../../contract/resources/digests.ts";
import { operation } from "../../edge/request/operation.ts";

export const getDigest = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/digests/{name}",
    summary: "Read when a digest is made, and for whom",
    role: "viewer",
    scope: "webhooks:read",
    freeParams: ["name"],
    reply: { 200: digestSettings },
    refuses: [],
  },
  (call) => call.org.query("getDigest", { name: call.params.name }),
);
