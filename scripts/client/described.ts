import type { OperationContract } from "../../src/contract/operation.ts";
import { type ApiDocument, type ApiOperation, resolved, type Schema } from "../frozen-contract/openapi.ts";
import type { MethodName } from "./method-names.ts";

/** An operation as the client needs it. */
export interface ClientOperation extends MethodName {
  readonly contract: OperationContract;
  /** Parameters of the path that the caller passes. The org of `/v1/orgs/{id}` is the client's own. */
  readonly params: readonly string[];
  readonly query: readonly QueryParameter[];
  readonly body: Schema | null;
  readonly isBodyOptional: boolean;
  readonly reply: Schema | null;
  /** What is answered: JSON, a stream, or either by the `format` of the query. */
  readonly answers: "json" | "stream" | "by_format";
  /** The shape of a page's entries; null: the reply is no page. */
  readonly entry: Schema | null;
  /** Where the body takes a `request_id`, which makes it safe to send again. */
  readonly named: "body" | "asks" | null;
}

export interface QueryParameter {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

const ORG_PREFIX = "/v1/orgs/{id}";
const JSON_MEDIA = "application/json";

export function describedOperation(
  document: ApiDocument,
  contract: OperationContract,
  name: MethodName,
): ClientOperation {
  const operation = document.paths?.[contract.path]?.[contract.method.toLowerCase()] as ApiOperation;
  const body = operation.requestBody?.content[JSON_MEDIA]?.schema ?? null;
  const query = queryOf(operation);
  if (body !== null && query.length > 0) throw new Error(`${contract.path} takes a query and a body`);
  const reply = replyOf(operation);
  return {
    ...name,
    contract,
    params: paramsOf(contract.path),
    query,
    body,
    isBodyOptional: operation.requestBody?.required !== true,
    reply,
    answers: contract.media === undefined ? "json" : reply === null ? "stream" : "by_format",
    entry: query.some((parameter) => parameter.name === "cursor") ? entryOf(document, reply) : null,
    named: body === null ? null : namedIn(document, body),
  };
}

function paramsOf(path: string): string[] {
  const own = path.startsWith(ORG_PREFIX) ? path.slice(ORG_PREFIX.length) : path;
  return [...own.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

function queryOf({ parameters = [] }: ApiOperation): QueryParameter[] {
  return parameters
    .filter((parameter) => parameter.in === "query")
    .map(({ name, required = false, schema = {} }) => ({ name, required, schema }));
}

/** Where several statuses carry a body, it is of one shape. */
function replyOf({ responses = {} }: ApiOperation): Schema | null {
  const good = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  return (
    good.map(([, { content }]) => content?.[JSON_MEDIA]?.schema ?? null).find((one) => one !== null) ?? null
  );
}

function entryOf(document: ApiDocument, reply: Schema | null): Schema | null {
  const { data } = (reply === null ? {} : resolved(document, reply).properties) ?? {};
  return typeof data?.items === "object" ? data.items : null;
}

function namedIn(document: ApiDocument, body: Schema): ClientOperation["named"] {
  const { request_id, asks } = resolved(document, body).properties ?? {};
  if (request_id !== undefined) return "body";
  const item = typeof asks?.items === "object" ? resolved(document, asks.items) : {};
  return item.properties?.["request_id"] === undefined ? null : "asks";
}
