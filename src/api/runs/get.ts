import { operation } from "../../edge/request/operation.ts";
import { run } from "../../contract/resources/runs/runs.ts";

export const getRun = operation(
  {
    method: "GET",
    path: "/v1/runs/{id}",
    summary: "Read a run",
    role: "viewer",
    scope: "runs:read",
    freeParams: ["id"],
    reply: { 200: run },
    refuses: [],
  },
  (call) => call.org.query("getRun", { id: call.params.id }),
);
