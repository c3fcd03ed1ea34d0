import { keyRotation, keyWithSecret } from "../../contract/resources/keys.ts";
import { operation } from "../../edge/request/operation.ts";

export const rotateKey = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/keys/{key_id}/rotate",
    summary: "Rotate the secret of an API key",
    description:
      "The key keeps its id. The old secret works until its grace period ends; without one, it stops working immediately. Earlier secrets keep their own grace periods. A key can have at most ten of them.",
    role: "admin",
    scope: "keys:write",
    idempotent: true,
    ifMatch: true,
    body: keyRotation,
    reply: { 200: keyWithSecret },
    refuses: ["conflict"],
  },
  (call) =>
    call.org.command("rotateKey", { keyId: call.params.key_id, graceSeconds: call.body.grace_seconds }),
);
