import { unusualSettings } from "../../contract/resources/unusual-spend.ts";
import { operation } from "../../edge/request/operation.ts";

export const getUnusualSettings = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/unusual-spend",
    summary: "Read how unusual spend is announced",
    role: "viewer",
    scope: "webhooks:read",
    reply: { 200: unusualSettings },
    refuses: [],
  },
  (call) => call.org.query("getUnusualSettings", {}),
);
