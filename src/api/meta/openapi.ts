import { openApiDocument } from "../../contract/resources/meta.ts";
import type { Deprecation } from "../../contract/deprecations.ts";
import { DEPRECATION_HEADERS } from "../../contract/openapi-headers.ts";
import type { OperationContract } from "../../contract/operation.ts";
import { readRegistry } from "../../edge/request/deprecation.ts";
import { operation, reply } from "../../edge/request/operation.ts";
import type { Operation } from "../../edge/request/operation-types.ts";

const contract = {
  method: "GET",
  path: "/v1/openapi.json",
  summary: "Get this API as an OpenAPI 3.1 document",
  role: "anyone",
  reply: { 200: openApiDocument },
  refuses: [],
} as const satisfies OperationContract;

type Paths = Readonly<Record<string, Readonly<Record<string, object>>>>;
type Document = { readonly openapi: string; readonly paths: Paths };

/**
 * The document is built once, at the first request, which also loads its builder. Deprecations come from the registry
 * each time.
 */
export function describeApi(operations: () => readonly OperationContract[]): Operation {
  let document: Document | undefined;
  return operation(contract, async (call) => {
    if (document === undefined) {
      const { buildOpenApi } = await import("../../contract/openapi.ts");
      document = buildOpenApi(operations(), call.settings.SVC_BASE_URL) as Document;
    }
    const { deprecations } = await readRegistry(call.env.REGISTRY);
    return reply(200, { ...document, paths: withDeprecations(document.paths, deprecations, operations()) });
  });
}

function withDeprecations(
  paths: Paths,
  deprecations: readonly Deprecation[],
  operations: readonly OperationContract[],
): Paths {
  const marked: Record<string, Readonly<Record<string, object>>> = { ...paths };
  for (const { method, route } of deprecations) {
    const isAny = operations.some(({ path, anyMethod }) => path === route && anyMethod === true);
    const verbs = Object.entries(marked[route] ?? {}).map(([verb, described]) =>
      isAny || verb === method.toLowerCase()
        ? [verb, deprecated(described as DescribedOperation)]
        : [verb, described],
    );
    if (verbs.length > 0) marked[route] = Object.fromEntries(verbs) as Record<string, object>;
  }
  return marked;
}

interface DescribedOperation {
  readonly responses: Readonly<Record<string, { readonly headers?: object }>>;
}

function deprecated(described: DescribedOperation): object {
  const responses = Object.entries(described.responses).map(([status, response]) => [
    status,
    { ...response, headers: { ...response.headers, ...DEPRECATION_HEADERS } },
  ]);
  return { ...described, deprecated: true, responses: Object.fromEntries(responses) as object };
}
