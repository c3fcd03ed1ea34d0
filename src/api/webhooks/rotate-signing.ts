import { rotatedSigning, signingRotation } from "../../contract/resources/webhooks.ts";
import { operation } from "../../edge/request/operation.ts";

export const rotateSigning = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/webhooks/{sub_id}/signing/rotate",
    summary: "Create or rotate a webhook's own signing secret",
    description:
      "From then on deliveries use signature version 2. During the grace period they are also signed with the old secret.",
    role: "admin",
    scope: "webhooks:write",
    idempotent: true,
    ifMatch: true,
    body: signingRotation,
    reply: { 201: rotatedSigning },
    refuses: ["conflict"],
  },
  (call) =>
    call.org.command("rotateSigning", {
      webhookId: call.params.sub_id,
      graceSeconds: call.body.grace_seconds,
    }),
);
