import { operation } from "../../edge/request/operation.ts";
import { contentSafety } from "../../contract/resources/content-safety.ts";

export const getContentSafety = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/content-safety",
    summary: "Read the content safety detectors",
    role: "viewer",
    scope: "policies:read",
    reply: { 200: contentSafety },
    refuses: [],
  },
  (call) => call.org.query("getContentSafety", {}),
);
