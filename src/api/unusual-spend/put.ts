import { unusualSettings } from "../../contract/resources/unusual-spend.ts";
import { operation } from "../../edge/request/operation.ts";

export const putUnusualSettings = operation(
  {
    method: "PUT",
    path: "/v1/orgs/{id}/unusual-spend",
    summary: "Set how unusual spend is announced",
    description: "The event `spend.unusual` is for webhooks that subscribe to it. Default: `normal`.",
    role: "admin",
    scope: "webhooks:write",
    ifMatch: true,
    body: unusualSettings,
    reply: { 200: unusualSettings },
    refuses: ["conflict"],
  },
  (call) => call.org.command("setUnusualSettings", call.body),
);
