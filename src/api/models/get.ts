import { operation } from "../../edge/request/operation.ts";
import { model } from "../../contract/resources/models.ts";

export const getModel = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/models/{model}",
    summary: "Read a model's price",
    role: "viewer",
    scope: "limits:read",
    freeParams: ["model"],
    reply: { 200: model },
    refuses: [],
  },
  (call) => call.org.query("getModel", { model: call.params.model }),
);
