import { buildOpenApi } from "../../src/contract/openapi.ts";
import { ERRORS } from "../../src/contract/errors.ts";
import { type OperationContract, routeOf } from "../../src/contract/operation.ts";
import type { ApiDocument, Schema } from "../frozen-contract/openapi.ts";
import { type ClientOperation, describedOperation } from "./described.ts";
import { methodNames, typeName } from "./method-names.ts";
import { isOneObject, noteOf, typeOf } from "./shape-text.ts";

const NOTICE = "/** Written by `npm run generate` from the contract. Do not edit. */\n";

/** The client's generated files, by their path. */
export function generatedFiles(
  contracts: readonly OperationContract[],
  listText: string,
): ReadonlyMap<string, string> {
  const document = buildOpenApi(contracts, "https://sluice.invalid") as ApiDocument;
  const names = methodNames(listText);
  if (names.length !== contracts.length) throw new Error("src/operations.ts was not read whole");
  const operations = contracts.map((contract, index) =>
    describedOperation(document, contract, names[index] ?? { group: "", method: "" }),
  );
  const groups = Map.groupBy(operations, ({ group }) => group);
  return new Map([
    ["src/client/generated/operations.ts", tableText(groups)],
    ["src/client/generated/types.ts", typesText(document, groups)],
  ]);
}

type Groups = ReadonlyMap<string, readonly ClientOperation[]>;

function tableText(groups: Groups): string {
  const lines = sorted(groups).map(([group, operations]) => {
    const methods = operations.map(
      (one) => `${one.method}: ${JSON.stringify(`${routeOf(one.contract)} ${flagsOf(one)}`.trimEnd())},`,
    );
    return `${group}: {\n${methods.join("\n")}\n},`;
  });
  return indented(`${NOTICE}
/**
 * Method, path and flags of each operation. \`b\`: takes a body, \`q\`: takes a query, \`i\`: takes an \`Idempotency-Key\`,
 * \`r\`: the body takes a \`request_id\`, \`a\`: its asks do, \`t\`: twice does no more than once, \`p\`: answers with pages,
 * \`s\`: answers with a stream, \`f\`: does so where its query asks for another \`format\` than JSON.
 */
export const OPERATIONS = {
${lines.join("\n")}
} as const;
`);
}

const ANSWER_FLAGS = { json: "", stream: "s", by_format: "f" } as const;

function flagsOf({ contract, body, query, entry, named, answers }: ClientOperation): string {
  const flags = [
    body === null ? "" : "b",
    query.length === 0 ? "" : "q",
    contract.idempotent === true ? "i" : "",
    named === null ? "" : named === "body" ? "r" : "a",
    contract.repeatable === true ? "t" : "",
    entry === null ? "" : "p",
    ANSWER_FLAGS[answers],
  ];
  return flags.join("");
}

function typesText(document: ApiDocument, groups: Groups): string {
  const shapes = Object.entries(document.components?.schemas ?? {}).filter(
    ([name]) => !name.endsWith("Error"),
  );
  const inputs = sorted(groups).flatMap(([, operations]) => operations.flatMap(inputTypes));
  return indented(
    [
      `${NOTICE}import type { Answer, CallOptions, ListOptions, Pages } from "../answer.ts";\n`,
      ...shapes.map(([name, schema]) => declared(name, schema)),
      ...inputs.map(([name, text]) => `export type ${name} = ${text};\n`),
      errorsText(document),
      operationsText(groups),
    ].join("\n"),
  );
}

function declared(name: string, schema: Schema): string {
  const text = typeOf(schema);
  return `${noteOf(schema)}export ${isOneObject(text) ? `interface ${name} ${text}` : `type ${name} = ${text};`}\n`;
}

function inputTypes(operation: ClientOperation): [name: string, text: string][] {
  const { body, query } = operation;
  if (body !== null && body.$ref === undefined) return [[inputName(operation), typeOf(body)]];
  if (query.length === 0) return [];
  const fields = query.map(({ name, required, schema }) => {
    const type = isNumber(schema) ? "number | string" : typeOf(schema);
    return `${noteOf(schema)}readonly ${name}${required ? "" : "?"}: ${type}${required ? "" : " | undefined"};`;
  });
  return [[inputName(operation), `{\n${fields.join("\n")}\n}`]];
}

/** A number of a query is sent as text, so a caller may have either. */
function isNumber({ type }: Schema): boolean {
  return type === "integer" || type === "number";
}

function inputName({ group, method, body }: ClientOperation): string {
  if (body?.$ref !== undefined) return typeOf(body);
  return typeName(group, method, body === null ? "Query" : "Body");
}

/** By code: the details of a refusal and the statuses that it comes with. */
function errorsText(document: ApiDocument): string {
  const lines = Object.entries(ERRORS).map(([code, { statuses, message }]) => {
    const shape = document.components?.schemas?.[`${typeName(...code.split("_"))}Error`];
    const details = shape?.properties?.["error"]?.properties?.["details"] ?? { type: "object" };
    return `${noteOf({ description: message })}readonly ${code}: { readonly status: ${statuses.join(" | ")}; readonly details: ${typeOf(details)} };`;
  });
  return `/** Every code that a call may be refused with. */\nexport interface Refusals {\n${lines.join("\n")}\n}\n`;
}

function operationsText(groups: Groups): string {
  const members = sorted(groups).map(([group, operations]) => {
    const methods = operations.map(
      (one) => `/** ${one.contract.summary}. \`${routeOf(one.contract)}\` */\n${signatureOf(one)}`,
    );
    return `readonly ${group}: {\n${methods.join("\n")}\n};`;
  });
  return `/** Every operation of the API. */\nexport interface Operations {\n${members.join("\n")}\n}\n`;
}

/** One line, or one for each kind of answer. The last is for a format that is only known when the call is made. */
function signatureOf(operation: ClientOperation): string {
  const { reply, entry, answers } = operation;
  const body = reply === null ? "void" : typeOf(reply);
  if (answers === "stream") return signature(operation, "Answer<Response>");
  if (answers === "json")
    return signature(operation, entry === null ? `Answer<${body}>` : `Pages<${typeOf(entry)}>`);
  return [
    signature(operation, `Answer<${body}>`, { field: 'format?: "json" | undefined', isNeeded: false }),
    signature(operation, "Answer<Response>", { field: `format: ${otherFormats(operation)}`, isNeeded: true }),
    signature(operation, `Answer<${body} | Response>`),
  ].join("\n");
}

/** The format that a query must have. */
interface AskedFormat {
  readonly field: string;
  /** True if the query cannot be left out. */
  readonly isNeeded: boolean;
}

function otherFormats({ query, contract }: ClientOperation): string {
  const formats = query.find(({ name }) => name === "format")?.schema.enum;
  if (formats === undefined)
    throw new Error(`${routeOf(contract)} answers with several media and takes no format`);
  return typeOf({ enum: formats.filter((format) => format !== "json") });
}

function signature(operation: ClientOperation, answer: string, asked?: AskedFormat): string {
  const { method, params, query, body, isBodyOptional, entry } = operation;
  const taken = params.map((name) => `${parameterName(name)}: string`);
  const isOptional = body === null ? query.every(({ required }) => !required) : isBodyOptional;
  const input = body === null ? "query" : "body";
  const narrowed = asked === undefined ? "" : ` & { readonly ${asked.field} }`;
  if (body !== null || query.length > 0) {
    const mark = isOptional && asked?.isNeeded !== true ? "?" : "";
    taken.push(`${input}${mark}: ${inputName(operation)}${narrowed}`);
  }
  taken.push(`options?: ${entry === null ? "CallOptions" : "ListOptions"}`);
  return `${method}(${taken.join(", ")}): ${answer};`;
}

function parameterName(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function sorted(groups: Groups): [string, readonly ClientOperation[]][] {
  return [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** Two spaces for each brace that is open, as a formatter would. */
function indented(text: string): string {
  let depth = 0;
  const lines = text.split("\n").map((line) => {
    const closes = /^[}\])]/.test(line.trim()) ? 1 : 0;
    const at = Math.max(0, depth - closes);
    if (!isComment(line)) depth += count(line, "{") - count(line, "}");
    return line.trim() === "" ? "" : "  ".repeat(at) + line;
  });
  return lines.join("\n");
}

function isComment(line: string): boolean {
  return /^\s*(\/\*\*|\*)/.test(line);
}

function count(line: string, character: string): number {
  return line.replaceAll(/"(?:[^"\\]|\\.)*"/g, "").split(character).length - 1;
}
