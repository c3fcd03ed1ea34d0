import { operation } from "../../edge/request/operation.ts";
import { retentionPolicy } from "../../contract/resources/retention-policy.ts";

export const getRetentionPolicy = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/retention-policy",
    summary: "Read how long records are kept",
    role: "viewer",
    scope: "retention:read",
    reply: { 200: retentionPolicy },
    refuses: [],
  },
  (call) => call.org.query("getRetentionPolicy", {}),
);
