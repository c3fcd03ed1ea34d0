import { operation } from "../../edge/request/operation.ts";

export const revokeSession = operation(
  {
    method: "DELETE",
    path: "/v1/orgs/{id}/sessions/{session_id}",
    summary: "Revoke a console session. Its next request is refused",
    role: "owner",
    scope: "org:write",
    ifMatch: true,
    reply: { 204: null },
    refuses: [],
  },
  (call) => call.org.command("revokeSession", { sessionId: call.params.session_id }),
);
