import { providerKey } from "../../contract/resources/provider-keys.ts";
import { operation } from "../../edge/request/operation.ts";
import { WITH_SUFFIX } from "./name.ts";

export const getProviderKey = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/provider-keys/{provider}",
    alsoAt: WITH_SUFFIX,
    summary: "Read a key of a provider",
    description: "Without its secret.",
    role: "admin",
    scope: "provider-keys:read",
    freeParams: ["provider"],
    reply: { 200: providerKey },
    refuses: [],
  },
  (call) => call.org.query("getProviderKey", { provider: call.params.provider }),
);
