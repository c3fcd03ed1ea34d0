import { digestSettings, newDigest } from "../../contract/resources/digests.ts";
import { isTimeZone } from "../../domain/time/zone.ts";
import { operation } from "../../edge/request/operation.ts";

const timezone = newDigest.shape.timezone.refine(isTimeZone, {
  message: "must be an IANA time zone, such as Europe/Berlin",
  params: { code: "invalid_value" },
});

export const putDigest = operation(
  {
    method: "PUT",
    path: "/v1/orgs/{id}/digests/{name}",
    summary: "Set a digest",
    description:
      "A summary of each day, week or month, made once it is over, at `at` in `timezone`: what was spent beside the period before, by model and by what changed most; what runs out; what was refused; what is unusual. It is sent to webhooks of any format and to confirmed addresses as `digest.ready`.",
    role: "admin",
    scope: "webhooks:write",
    ifMatch: true,
    dryRun: true,
    freeParams: ["name"],
    body: newDigest.extend({ timezone }),
    reply: { 200: digestSettings },
    refuses: ["conflict"],
  },
  ({ params: { name }, body, org }) => org.command("setDigest", { name, ...body }),
);
