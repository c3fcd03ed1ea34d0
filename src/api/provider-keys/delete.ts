import { operation } from "../../edge/request/operation.ts";
import { WITH_SUFFIX } from "./name.ts";

export const deleteProviderKey = operation(
  {
    method: "DELETE",
    path: "/v1/orgs/{id}/provider-keys/{provider}",
    alsoAt: WITH_SUFFIX,
    summary: "Delete a key of a provider",
    description: "Proxies that know it may use it for up to a minute more.",
    role: "admin",
    scope: "provider-keys:write",
    ifMatch: true,
    dryRun: true,
    freeParams: ["provider"],
    reply: { 204: null },
    refuses: ["conflict"],
  },
  (call) => call.org.command("deleteProviderKey", { provider: call.params.provider }),
);
