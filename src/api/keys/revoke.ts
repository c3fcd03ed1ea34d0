import { operation } from "../../edge/request/operation.ts";

export const revokeKey = operation(
  {
    method: "DELETE",
    path: "/v1/orgs/{id}/keys/{key_id}",
    summary: "Revoke an API key. When the call returns, the key no longer works in any region",
    role: "admin",
    scope: "keys:write",
    idempotent: true,
    ifMatch: true,
    reply: { 204: null },
    refuses: ["conflict"],
  },
  (call) => call.org.command("revokeKey", { keyId: call.params.key_id }),
);
