import { invalidFields } from "../../contract/refusal.ts";
import { newProviderKey, providerKey } from "../../contract/resources/provider-keys.ts";
import { operation } from "../../edge/request/operation.ts";
import { endpointErrors } from "../../outbound/endpoint.ts";
import { nameError, WITH_SUFFIX } from "./name.ts";

export const putProviderKey = operation(
  {
    method: "PUT",
    path: "/v1/orgs/{id}/provider-keys/{provider}",
    alsoAt: WITH_SUFFIX,
    summary: "Set a key of a provider",
    description:
      "The governed proxy uses it for the org's calls to this provider in place of its own. An org can have several, each with a suffix (`openai/eu`); a call chooses one with the header `x-sluice-provider-key`. The secret is stored encrypted and never returned.",
    role: "admin",
    scope: "provider-keys:write",
    ifMatch: true,
    dryRun: true,
    freeParams: ["provider"],
    body: newProviderKey,
    reply: { 200: providerKey },
    refuses: ["conflict"],
  },
  async ({ params: { provider }, body, settings, org }) => {
    const { base_url: url } = body;
    const wrongName = nameError(provider);
    const wrong = [
      ...(wrongName === null ? [] : [wrongName]),
      ...(url === undefined || url === null
        ? []
        : await endpointErrors({ field: "base_url", url, hasPath: true }, settings)),
    ];
    return wrong.length > 0 ? invalidFields(wrong) : org.command("setProviderKey", { provider, ...body });
  },
);
