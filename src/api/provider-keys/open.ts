import { providerAccess } from "../../contract/resources/provider-keys.ts";
import { operation } from "../../edge/request/operation.ts";

/** Has no route: only the `Gate` entrypoint calls it. */
export const openProviderKey = operation(
  {
    method: "GET",
    path: "/v1/edge/provider-key/{provider}",
    summary: "Hand a key of a provider to a proxy of the same account",
    role: "viewer",
    scope: "decisions:evaluate",
    freeParams: ["provider"],
    reply: { 200: providerAccess },
    refuses: [],
  },
  (call) => call.org.query("openProviderKey", { provider: call.params.provider }),
);
