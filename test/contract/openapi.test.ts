import { globSync, readFileSync } from "node:fs";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { expect, test } from "vitest";
import { OPERATIONS } from "../../src/operations.ts";
import { ERRORS } from "../../src/contract/errors.ts";
import { type OperationContract, routeOf } from "../../src/contract/operation.ts";
import * as COMMANDS from "../../src/org/commands.ts";
import { buildOpenApi, methodsOf } from "../../src/contract/openapi.ts";

const contracts = OPERATIONS.map((operation) => operation.contract);
const document = buildOpenApi(contracts, "https://api.sluice.dev") as {
  paths: Record<string, Record<string, Described>>;
  components: { headers: object; schemas: Record<string, object> };
};

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly required?: boolean };
  readonly responses: Record<string, { headers?: Record<string, { $ref: string }>; content?: object }>;
}

function described(op: OperationContract): Described {
  const found = document.paths[op.path]?.[op.method.toLowerCase()];
  if (found === undefined) throw new Error(`${op.path} is not described`);
  return found;
}

const codesOf = (op: OperationContract, status: number) =>
  JSON.stringify(described(op).responses[status] ?? {});
const headersOf = (op: OperationContract, status: number | string) =>
  Object.keys(described(op).responses[status]?.headers ?? {});
const parametersOf = (op: OperationContract) =>
  (described(op).parameters ?? []).filter((one) => one.in === "header").map(({ name }) => name);

test("the OpenAPI document passes a strict linter with no warning, and every example is valid by its schemas", async () => {
  const config = await createConfig({
    extends: ["recommended-strict"],
    rules: { "no-invalid-media-type-examples": "error" },
  });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  expect(
    problems.map((problem) => `${problem.ruleId} ${problem.location[0]?.pointer ?? ""}: ${problem.message}`),
  ).toEqual([]);
});

test("every operation is in it once, with each status that it may return", () => {
  const listed = Object.values(document.paths).flatMap((path) => Object.values(path));
  const served = contracts.flatMap((op) => methodsOf(op).map((method) => `${method} ${op.path}`));
  expect(listed).toHaveLength(served.length);
  expect(new Set(served).size).toBe(served.length);
  expect(new Set(listed.map((op) => op.operationId)).size).toBe(served.length);
  for (const op of contracts) {
    const responses = document.paths[op.path]?.[op.method.toLowerCase()]?.responses ?? {};
    for (const status of Object.keys(op.reply)) expect(responses).toHaveProperty(status);
    for (const code of op.refuses) {
      expect(ERRORS[code].statuses.some((status) => String(status) in responses)).toBe(true);
    }
  }
});

test("every operation documents the responses of the checks around it", () => {
  for (const op of contracts) {
    expect(codesOf(op, 400)).toContain("BadRequestError");
    expect(codesOf(op, 503)).toContain("ServiceUnavailableError");
    if (op.method !== "GET") {
      expect(codesOf(op, 413)).toContain("PayloadTooLargeError");
      expect(codesOf(op, 422)).toContain("ValidationFailedError");
    }
    if (op.idempotent === true) {
      expect(codesOf(op, 409)).toContain("IdempotencyKeyConflictError");
      expect(codesOf(op, 409)).toContain("IdempotencyKeyProcessingError");
    }
    if (op.ifMatch === true) expect(codesOf(op, 409)).toContain("ConflictError");
    expect(parametersOf(op).includes("Idempotency-Key")).toBe(op.idempotent === true);
    expect(parametersOf(op).includes("If-Match")).toBe(op.ifMatch === true);
    const missing = op.body?.safeParse({}).error?.issues.some((issue) => issue.path.length > 0);
    const isRequired = op.streamedBody !== undefined || missing === true;
    const hasBody = op.body !== undefined || op.streamedBody !== undefined;
    expect(described(op).requestBody?.required).toBe(hasBody ? isRequired : undefined);
  }
});

test("an operation documents If-Match if it or its command honours it", () => {
  const conditional = Object.entries(COMMANDS)
    .filter(([, command]) => "current" in command)
    .map(([name]) => name);
  const files = globSync("src/api/*/*.ts").map((file) => readFileSync(file, "utf8"));
  const honouring = files.filter(
    (source) =>
      source.includes("ifMatchRefusal(") || conditional.some((name) => source.includes(`command("${name}"`)),
  );
  const routes = honouring.map(
    (source) => `${/method: "(\w+)"/.exec(source)?.[1]} ${/path: "([^"]+)"/.exec(source)?.[1]}`,
  );
  const declared = contracts.filter((op) => op.ifMatch === true).map(routeOf);
  expect(declared.toSorted()).toEqual(routes.toSorted());
  expect(routes.length).toBeGreaterThan(30);
});

test("whatever has a dry run does nothing but one command of the org's object", () => {
  const commands = new Map<string, object>(Object.entries(COMMANDS));
  const files = globSync("src/api/*/*.ts").map((file) => readFileSync(file, "utf8"));
  const sources = files.filter((source) => source.includes("dryRun: true"));
  expect(sources.length).toBe(contracts.filter(({ dryRun }) => dryRun === true).length);
  for (const source of sources) {
    expect(source.match(/\.(command|door|query|reserve)\(/g)).toEqual([".command("]);
    const [, name = ""] = /command\("(\w+)"/.exec(source) ?? [];
    // What it is compared with, for If-None-Match.
    if (source.includes('method: "PUT"')) expect(commands.get(name)).toHaveProperty("current");
  }
});

test("every response documents its headers", () => {
  for (const op of contracts) {
    for (const status of Object.keys(described(op).responses)) {
      expect(headersOf(op, status)).toEqual(expect.arrayContaining(["x-svc-trace-id", "x-svc-region"]));
    }
    if (op.role !== "anyone") expect(headersOf(op, 429)).toContain("Retry-After");
    if (op.idempotent === true) expect(headersOf(op, 409)).toContain("Idempotent-Replayed");
    if (op.path === "/v1/edge/decision") expect(headersOf(op, 402)).toContain("x-svc-decided");
  }
  const read = contracts.find((op) => op.method === "GET" && op.path === "/v1/orgs/{id}/budgets/{budget_id}");
  const list = contracts.find((op) => op.method === "GET" && op.path === "/v1/orgs/{id}/budgets");
  expect([read, list].map((op) => op !== undefined && headersOf(op, 200).includes("ETag"))).toEqual([
    true,
    false,
  ]);
});

test("an export documents its media types, and every response schema allows new fields", () => {
  const exported = contracts.find((op) => op.path === "/v1/orgs/{id}/audit-log/export");
  const content = exported === undefined ? {} : described(exported).responses["200"]?.content;
  expect(Object.keys(content ?? {})).toEqual(["application/x-ndjson", "text/csv"]);
  for (const op of contracts) {
    expect(JSON.stringify(described(op).responses)).not.toContain('"additionalProperties":false');
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    if (name.endsWith("Error")) expect(JSON.stringify(schema)).not.toContain('"additionalProperties":false');
  }
});
