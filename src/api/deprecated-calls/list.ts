import { deprecatedCalls } from "../../contract/resources/deprecated-calls.ts";
import { operation } from "../../edge/request/operation.ts";

export const listDeprecatedCalls = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/deprecated-calls",
    summary: "List which of your keys still call deprecated routes",
    description: "The 200 most recent pairs of route and key, most recent call first.",
    role: "viewer",
    scope: "org:read",
    reply: { 200: deprecatedCalls },
    refuses: [],
  },
  (call) => call.org.query("listDeprecatedCalls", {}),
);
