import { z } from "zod";
import { createDocument, type ZodOpenApiOperationObject } from "zod-openapi";
import { ERRORS, type ErrorCode } from "./errors.ts";
import { type OperationContract, refusalsOf } from "./operation.ts";

/** The OpenAPI 3.1 document, computed from the operations and the error catalog. */

const envelopes = new Map<ErrorCode, z.ZodType>();

function envelopeShape(code: ErrorCode): z.ZodType {
  const known = envelopes.get(code);
  if (known !== undefined) return known;
  const name = code.replaceAll(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
  const shape = z
    .object({
      error: z.object({ code: z.literal(code), message: z.string(), details: ERRORS[code].details }),
    })
    .meta({ id: `${name}Error`, description: ERRORS[code].message });
  envelopes.set(code, shape);
  return shape;
}

/** `POST /v1/orgs/{id}/keys` → `post_orgs_id_keys`. */
function operationId(op: OperationContract): string {
  const words = op.path
    .replace("/v1/", "")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .replace(/_+$/, "");
  return `${op.method.toLowerCase()}_${words}`;
}

export function tagOf(op: OperationContract): string {
  const parts = op.path.split("/").filter((part) => part !== "" && !part.startsWith("{"));
  const [, first = "meta", second] = parts;
  return (first === "admin" || first === "orgs") && second !== undefined ? second : first;
}

function headerParameters(op: OperationContract) {
  return op.idempotent === true
    ? {
        header: z.object({
          "Idempotency-Key": z
            .string()
            .min(1)
            .max(255)
            .optional()
            .meta({ description: "Makes a retry safe: the same key and body get the first answer again." }),
        }),
      }
    : {};
}

function pathParameters(op: OperationContract) {
  const names = [...op.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
  if (names.length === 0) return {};
  return {
    path: z.object(
      Object.fromEntries(names.map((name) => [name, z.string().meta({ description: `The ${name}.` })])),
    ),
  };
}

function responsesOf(op: OperationContract): ZodOpenApiOperationObject["responses"] {
  const responses: Record<string, object> = {};
  for (const [status, shape] of Object.entries(op.reply)) {
    responses[status] = {
      description: op.summary,
      ...(shape === null ? {} : { content: { [op.media ?? "application/json"]: { schema: shape } } }),
    };
  }
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of refusalsOf(op)) {
    for (const status of ERRORS[code].statuses) byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  for (const [status, codes] of [...byStatus].toSorted((a, b) => a[0] - b[0])) {
    const shapes = codes.map(envelopeShape);
    const schema = shapes.length === 1 ? shapes[0] : z.union(shapes);
    responses[String(status)] = {
      description: codes.map((code) => `\`${code}\``).join(", "),
      content: { "application/json": { schema } },
    };
  }
  return responses as ZodOpenApiOperationObject["responses"];
}

export function buildOpenApi(operations: readonly OperationContract[], baseUrl: string): object {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const op of operations) {
    (paths[op.path] ??= {})[op.method.toLowerCase()] = {
      operationId: operationId(op),
      summary: op.summary,
      description: op.description ?? op.summary,
      tags: [tagOf(op)],
      security: op.role === "anyone" ? [] : [{ key: [] }],
      requestParams: {
        ...pathParameters(op),
        ...(op.query === undefined ? {} : { query: op.query }),
        ...headerParameters(op),
      },
      ...(op.body === undefined
        ? {}
        : { requestBody: { content: { "application/json": { schema: op.body } } } }),
      responses: responsesOf(op),
    };
  }
  const tags = [...new Set(operations.map(tagOf))].sort();
  return createDocument({
    openapi: "3.1.0",
    info: {
      title: "Sluice",
      version: "1.0.0",
      description: "Governs what AI applications spend.",
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [{ url: baseUrl }],
    tags: tags.map((name) => ({ name, description: `Operations on ${name}.` })),
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: {
        key: {
          type: "http",
          scheme: "bearer",
          description: "An API key: `Authorization: Bearer <API_KEY>`.",
        },
      },
    },
  });
}
