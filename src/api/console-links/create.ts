import { consoleLink } from "../../contract/resources/console-links.ts";
import { mintOrgToken, tokenDigest } from "../../domain/key/org-token.ts";
import { operation } from "../../edge/request/operation.ts";
import { refusePlatformAccess } from "../../edge/identity/platform-org.ts";

export const createConsoleLink = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/console-links",
    summary: "Create a link that signs in to the console",
    description:
      "The link opens one session of an owner in this organization, within ten minutes. If a key made it, the session ends with that key's secret. A key needs every scope of an owner.",
    role: "owner",
    scope: "org:write",
    allScopes: true,
    reply: { 201: consoleLink },
    refuses: [],
  },
  async (call) => {
    const refused = refusePlatformAccess(call.params.id);
    if (refused !== null) return refused;
    const { SVC_KEY_PEPPER: pepper, SVC_BASE_URL: base } = call.settings;
    const link = mintOrgToken(pepper, "consoleLink", call.params.id);
    const url = `${base}/console/enter?${new URLSearchParams({ link })}`;
    return call.org.command("createConsoleLink", { digest: tokenDigest(pepper, link), url });
  },
);
