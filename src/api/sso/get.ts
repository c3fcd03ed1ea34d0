import { ssoConnection } from "../../contract/resources/sso.ts";
import { operation } from "../../edge/request/operation.ts";

export const getSso = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/sso",
    summary: "Read how people sign in to the console",
    role: "owner",
    scope: "org:read",
    reply: { 200: ssoConnection },
    refuses: [],
  },
  (call) => call.org.query("getSso", {}),
);
