import { operation } from "../../edge/request/operation.ts";
import { contentSafety, newContentSafety } from "../../contract/resources/content-safety.ts";
import { workingDetectors } from "./working-detectors.ts";

export const setContentSafety = operation(
  {
    method: "PUT",
    path: "/v1/orgs/{id}/content-safety",
    summary: "Set the content safety detectors",
    description:
      "Detectors scan the `input` of every reported run, in this order. The input is never stored.",
    role: "admin",
    scope: "policies:write",
    ifMatch: true,
    dryRun: true,
    body: newContentSafety.extend({ detectors: workingDetectors }),
    reply: { 200: contentSafety },
    refuses: ["conflict"],
  },
  (call) => call.org.command("setContentSafety", call.body),
);
