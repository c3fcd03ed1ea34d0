import { z } from "zod";
import { operation } from "../../edge/operation.ts";
import { contentSafety, detectorsInput } from "./shapes.ts";

export const setContentSafety = operation(
  {
    method: "PUT",
    path: "/v1/orgs/{id}/content-safety",
    summary: "Set the content safety detectors",
    description: "They read the `input` of every reported run, in this order. No input is stored.",
    role: "admin",
    scope: "policies:write",
    ifMatch: true,
    body: z.strictObject({ detectors: detectorsInput }),
    reply: { 200: contentSafety },
    refuses: ["conflict"],
  },
  (call) => call.org.command("setContentSafety", call.body),
);
