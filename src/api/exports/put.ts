import { EXPORT_NAME, newExport, scheduledExport } from "../../contract/resources/exports.ts";
import { invalidField } from "../../contract/refusal.ts";
import { operation } from "../../edge/operation.ts";
import { checkEndpoint } from "./endpoint.ts";

export const putExport = operation(
  {
    method: "PUT",
    path: "/v1/orgs/{id}/exports/{name}",
    summary: "Set a scheduled export",
    description:
      "Writes what was recorded in each hour or day, once it is over, to this region's bucket or to S3-compatible storage: files, then a manifest. A window that fails is tried again and never skipped, and retention waits for it. Requires a key with every scope of an admin.",
    role: "admin",
    scope: "org:write",
    allScopes: true,
    ifMatch: true,
    freeParams: ["name"],
    body: newExport,
    reply: { 200: scheduledExport },
    refuses: ["conflict"],
  },
  async ({ params: { name }, body, settings, org }) => {
    if (!EXPORT_NAME.test(name)) {
      const message = "must be 1 to 64 characters of a-z 0-9 _ -, and begin with a letter or digit";
      return invalidField("name", "invalid_format", message);
    }
    const { destination } = body;
    const refused = destination.kind === "s3" ? await checkEndpoint(destination.endpoint, settings) : null;
    return refused ?? org.command("setExport", { name, ...body });
  },
);
