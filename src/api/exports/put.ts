import { EXPORT_NAME, newExport, scheduledExport } from "../../contract/resources/exports.ts";
import { invalidFields } from "../../contract/refusal.ts";
import { operation } from "../../edge/request/operation.ts";
import { endpointErrors } from "../../outbound/endpoint.ts";

const WRONG_NAME = {
  field: "name",
  code: "invalid_format",
  message: "must be 1 to 64 characters of a-z 0-9 _ -, and begin with a letter or digit",
};

export const putExport = operation(
  {
    method: "PUT",
    path: "/v1/orgs/{id}/exports/{name}",
    summary: "Set a scheduled export",
    description:
      "Writes what was recorded in each hour or day, once it is over, to this region's bucket or to S3-compatible storage: files, then a manifest. A window that fails is tried again and never skipped, and retention waits for it. To a receiver of OpenTelemetry, one span for each run and each refusal is sent soon after it was recorded. Requires a key with every scope of an admin.",
    role: "admin",
    scope: "org:write",
    allScopes: true,
    ifMatch: true,
    dryRun: true,
    freeParams: ["name"],
    body: newExport,
    reply: { 200: scheduledExport },
    refuses: ["conflict"],
  },
  async ({ params: { name }, body, settings, org }) => {
    const { destination } = body;
    const wrong = [
      ...(EXPORT_NAME.test(name) ? [] : [WRONG_NAME]),
      ...(destination.kind === "bucket"
        ? []
        : await endpointErrors(
            {
              field: "destination.endpoint",
              url: destination.endpoint,
              hasPath: destination.kind === "otlp",
            },
            settings,
          )),
    ];
    return wrong.length > 0 ? invalidFields(wrong) : org.command("setExport", { name, ...body });
  },
);
