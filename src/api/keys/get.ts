import { key } from "../../contract/resources/keys.ts";
import { operation } from "../../edge/request/operation.ts";

export const getKey = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/keys/{key_id}",
    summary: "Read an API key's record",
    role: "admin",
    scope: "keys:read",
    reply: { 200: key },
    refuses: [],
  },
  (call) => call.org.query("getKey", { keyId: call.params.key_id }),
);
