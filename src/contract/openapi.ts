import * as z from "zod";
import { createDocument, type ZodOpenApiObject, type ZodOpenApiOperationObject } from "zod-openapi";
import { DETAILS } from "./error-details.ts";
import { ERRORS, type ErrorCode } from "./errors.ts";
import { DRY_RUN_HEADER } from "./headers.ts";
import { RESPONSE_HEADERS, responseHeaders } from "./openapi-headers.ts";
import { type OperationContract, refusalsOf, routeOf } from "./operation.ts";
import {
  completeFields,
  completeParameter,
  exampleOf,
  type Parameter,
  type Schema,
  type Schemas,
} from "./reference/complete.ts";
import { EXAMPLE_BODIES } from "./reference/example-bodies.ts";
import { replyExample } from "./reference/reply-example.ts";
import { EXAMPLE_REPLIES, MEDIA_EXAMPLES } from "./reference/example-replies.ts";
import { samplesOf } from "./reference/samples.ts";
import { describeTag, sortTags, tagGroups } from "./reference/sections.ts";

/** The OpenAPI 3.1 document, computed from the operations and the error catalog. */

const envelopes = new Map<ErrorCode, z.ZodType>();

function envelopeShape(code: ErrorCode): z.ZodType {
  const known = envelopes.get(code);
  if (known !== undefined) return known;
  const name = code.replaceAll(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
  const shape = z
    .object({
      error: z.object({ code: z.literal(code), message: z.string(), details: DETAILS[code] }),
    })
    .meta({ id: `${name}Error`, description: ERRORS[code].message });
  envelopes.set(code, shape);
  return shape;
}

/** `POST /v1/orgs/{id}/keys` → `post_orgs_id_keys`. */
function operationId(op: OperationContract, method: string): string {
  const words = op.path
    .replace("/v1/", "")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .replace(/_+$/, "");
  return `${method}_${words}`;
}

export function tagOf(op: OperationContract): string {
  const parts = op.path.split("/").filter((part) => part !== "" && !part.startsWith("{"));
  const [, first = "meta", second] = parts;
  return (first === "admin" || first === "orgs") && second !== undefined ? second : first;
}

const IDEMPOTENCY_KEY = z
  .string()
  .min(1)
  .max(255)
  .optional()
  .meta({ description: "Makes retries safe: the same key and body return the first response." });

const IF_MATCH = z.string().optional().meta({
  description: "Applies the change only if the resource still has this ETag. Otherwise 409 `conflict`.",
});

const IF_NONE_MATCH = z.literal("*").optional().meta({
  description: "With `*`, applies only if there is no such resource yet. Otherwise 409 `conflict`.",
});

const DRY_RUN = z.literal("true").optional().meta({
  description:
    "With `true`, everything is checked and the answer is the one that the change would get, but nothing is changed, recorded or sent.",
});

function headerParameters(op: OperationContract) {
  const { idempotent, ifMatch, dryRun, headers } = op;
  if (idempotent !== true && ifMatch !== true && dryRun !== true && headers === undefined) return {};
  return {
    header: z.object({
      ...headers?.shape,
      ...(idempotent === true ? { "Idempotency-Key": IDEMPOTENCY_KEY } : {}),
      ...(ifMatch === true ? { "If-Match": IF_MATCH } : {}),
      ...(dryRun === true && op.method === "PUT" ? { "If-None-Match": IF_NONE_MATCH } : {}),
      ...(dryRun === true ? { [DRY_RUN_HEADER]: DRY_RUN } : {}),
    }),
  };
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

function hasRequiredField(body: z.ZodType): boolean {
  return body.safeParse({}).error?.issues.some((issue) => issue.path.length > 0) === true;
}

/** A body that is not JSON is described as text. */
function textOf(media: string): { schema: { type: "string" }; example: string } {
  return { schema: { type: "string" }, example: MEDIA_EXAMPLES[media] ?? "…" };
}

function responsesOf(op: OperationContract): ZodOpenApiOperationObject["responses"] {
  const responses: Record<string, object> = {};
  for (const [status, shape] of Object.entries(op.reply)) {
    const content = {
      ...(op.media !== undefined && shape === null ? {} : { "application/json": { schema: shape } }),
      ...Object.fromEntries((op.media ?? []).map((media) => [media, textOf(media)])),
    };
    responses[status] = {
      description: op.summary,
      headers: responseHeaders(op, Number(status)),
      ...(shape === null && op.media === undefined ? {} : { content }),
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
      headers: responseHeaders(op, status),
      content: { "application/json": { schema } },
    };
  }
  return responses as ZodOpenApiOperationObject["responses"];
}

/** The methods that an operation is described under. */
export function methodsOf(op: OperationContract): readonly string[] {
  return op.anyMethod === true ? EVERY_METHOD : [op.method.toLowerCase()];
}

const EVERY_METHOD = ["get", "put", "post", "delete", "options", "head", "patch"];

function describe(op: OperationContract, method: string): ZodOpenApiOperationObject {
  return {
    operationId: operationId(op, method),
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
      : {
          requestBody: {
            required: hasRequiredField(op.body),
            content: { "application/json": { schema: op.body } },
          },
        }),
    ...(op.streamedBody === undefined
      ? {}
      : { requestBody: { required: true, content: { [op.streamedBody]: { schema: { type: "string" } } } } }),
    responses: responsesOf(op),
  };
}

export function buildOpenApi(operations: readonly OperationContract[], baseUrl: string): object {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const op of operations) {
    for (const method of methodsOf(op)) (paths[op.path] ??= {})[method] = describe(op, method);
  }
  const tags = sortTags(operations.map(tagOf));
  const document: ZodOpenApiObject = {
    openapi: "3.1.0",
    info: {
      title: "Sluice",
      version: "1.0.0",
      description: "Governs what AI applications spend.",
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [{ url: baseUrl }],
    tags: tags.map(describeTag),
    "x-tagGroups": tagGroups(tags),
    security: [{ key: [] }],
    paths,
    components: {
      headers: RESPONSE_HEADERS,
      securitySchemes: {
        key: {
          type: "http",
          scheme: "bearer",
          description: "An API key: `Authorization: Bearer <API_KEY>`.",
        },
      },
    },
  };
  const made = createDocument(document, { override: leaveOpen }) as unknown as OpenApiDocument;
  for (const op of operations) {
    for (const method of methodsOf(op)) illustrate(made, op, method, baseUrl);
  }
  return made;
}

type Content = Record<string, { schema: Schema; example?: unknown }>;

interface DescribedOperation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  "x-codeSamples"?: object[];
}

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components?: { readonly schemas?: Schemas };
}

/** Completes the words of a request, and shows how it is sent. */
function illustrate(made: OpenApiDocument, op: OperationContract, method: string, baseUrl: string): void {
  const described = made.paths[op.path]?.[method];
  if (described === undefined) return;
  const schemas = made.components?.schemas ?? {};
  const content = described.requestBody?.content["application/json"];
  if (content !== undefined) {
    completeFields(content.schema, schemas, ownerOf(op));
    content.example = EXAMPLE_BODIES[routeOf(op)] ?? exampleOf(content.schema, schemas);
  }
  for (const parameter of described.parameters ?? []) completeParameter(parameter, schemas);
  for (const status of Object.keys(op.reply)) {
    const answer = described.responses[status]?.content?.["application/json"];
    if (answer !== undefined) {
      answer.example = EXAMPLE_REPLIES[routeOf(op)] ?? replyExample(answer.schema, schemas, ownerOf(op));
    }
  }
  described["x-codeSamples"] = samplesOf({
    method: method.toUpperCase(),
    url: baseUrl + exampleUrl(op, described.parameters ?? [], schemas),
    isOpen: op.role === "anyone",
    body: op.ignoresBody === true ? undefined : content?.example,
  });
}

/** The last word of the path: whose fields they are. */
function ownerOf({ path }: OperationContract): string {
  return path.split("/").findLast((part) => !part.startsWith("{")) ?? "";
}

/** With an example for each parameter that it needs. */
function exampleUrl({ path }: OperationContract, parameters: readonly Parameter[], schemas: Schemas): string {
  const value = ({ schema }: Parameter) => encodeURIComponent(String(exampleOf(schema ?? {}, schemas)));
  const named = parameters.filter((one) => one.in === "path");
  const filled = named.reduce((url, one) => url.replace(`{${one.name}}`, value(one)), path as string);
  const needed = parameters.filter((one) => one.in === "query" && one.required === true);
  const query = needed.map((one) => `${one.name}=${value(one)}`).join("&");
  return query === "" ? filled : `${filled}?${query}`;
}

/** Responses may gain fields within /v1, so their schemas allow additional properties. */
function leaveOpen({ jsonSchema, io }: { jsonSchema: object; io: "input" | "output" }): void {
  const schema = jsonSchema as { additionalProperties?: unknown };
  if (io === "output" && schema.additionalProperties === false) delete schema.additionalProperties;
}
