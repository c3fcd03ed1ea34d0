import * as z from "zod";
import { org, orgChange } from "../../contract/resources/orgs.ts";
import { formatCidr, parseCidr } from "../../domain/network/address.ts";
import { operation } from "../../edge/request/operation.ts";

const cidr = z
  .string()
  .max(64)
  .refine((text) => parseCidr(text) !== null, {
    message: "must be an IPv4 or IPv6 address or CIDR block, such as 203.0.113.0/24",
    params: { code: "invalid_format" },
  })
  .transform((text) => {
    const parsed = parseCidr(text);
    return parsed === null ? text : formatCidr(parsed);
  });

export const changeOrg = operation(
  {
    method: "PATCH",
    path: "/v1/orgs/{id}",
    summary: "Change your organization's name, IP allow-list or decision defaults",
    role: "admin",
    scope: "org:write",
    ifMatch: true,
    body: orgChange.extend({ ip_allow_list: z.array(cidr).max(200).optional() }),
    reply: { 200: org },
    refuses: ["conflict"],
  },
  ({ org: door, body }) =>
    door.command("changeOrg", {
      name: body.name,
      ipAllowList: body.ip_allow_list,
      decisionDefaults: body.decision_defaults,
    }),
);
