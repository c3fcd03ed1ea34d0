import { supportPresence } from "../../contract/resources/support.ts";
import { operation } from "../../edge/request/operation.ts";

export const getSupportPresence = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/support-presence",
    summary: "Read whether support has used an open grant",
    role: "viewer",
    scope: "org:read",
    reply: { 200: supportPresence },
    refuses: [],
  },
  (call) => call.org.query("supportInside", {}),
);
