import * as z from "zod";
import { listQuery, pageOf, toListQuery } from "../../contract/list.ts";
import { org } from "../../contract/resources/orgs.ts";
import { operation, reply } from "../../edge/request/operation.ts";
import { listOrgs } from "../../platform/directory.ts";

const LIST = {
  sort: ["created_at", "name"],
  filters: {
    status: z.enum(["active", "suspended"]),
    plan: z.string(),
    environment: z.enum(["live", "test"]),
  },
} as const;

export const listAdminOrgs = operation(
  {
    method: "GET",
    path: "/v1/admin/orgs",
    summary: "List organizations",
    role: "operator",
    query: listQuery(LIST),
    reply: { 200: pageOf(org) },
    refuses: [],
  },
  async (call) => reply(200, await listOrgs(call.env.DB, toListQuery(LIST, call.query))),
);
