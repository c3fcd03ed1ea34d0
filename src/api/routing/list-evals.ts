import * as z from "zod";
import { listQuery, pageOf, toListQuery } from "../../contract/list.ts";
import { evalResult } from "../../contract/resources/routing.ts";
import { operation } from "../../edge/request/operation.ts";

const text = z.string().min(1).max(200);
const LIST = { sort: ["run_at", "created_at"], filters: { suite: text, model: text } } as const;

export const listEvals = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/evals",
    summary: "List eval results",
    role: "viewer",
    scope: "routing:read",
    query: listQuery(LIST),
    reply: { 200: pageOf(evalResult) },
    refuses: [],
  },
  (call) => call.org.query("listEvals", toListQuery(LIST, call.query)),
);
