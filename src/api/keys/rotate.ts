import { keyRotation, keyWithSecret } from "../../contract/resources/keys.ts";
import { operation } from "../../edge/operation.ts";

export const rotateKey = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/keys/{key_id}/rotate",
    summary: "Give an API key a new secret",
    description:
      "The id stays. The old secret lives for the grace, and not at all without one; secrets of earlier rotations keep their own grace. A key has at most ten of those.",
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
