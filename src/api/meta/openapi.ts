import { z } from "zod";
import { buildOpenApi } from "../../contract/openapi.ts";
import type { OperationContract } from "../../contract/operation.ts";
import { type Operation, operation, reply } from "../../edge/operation.ts";

const contract = {
  method: "GET",
  path: "/v1/openapi.json",
  summary: "This API as OpenAPI 3.1",
  role: "anyone",
  reply: { 200: z.looseObject({ openapi: z.string() }) },
  refuses: [],
} as const satisfies OperationContract;

/** The document is built once, at the first request for it. */
export function describeApi(others: readonly OperationContract[]): Operation {
  let document: object | undefined;
  return operation(contract, async (call) => {
    document ??= buildOpenApi([...others, contract], call.settings.SVC_BASE_URL);
    return reply(200, document);
  });
}
