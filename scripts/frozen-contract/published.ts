import { z } from "zod";
import { DETAILS } from "../../src/contract/error-details.ts";
import { ERRORS, type ErrorCode } from "../../src/contract/errors.ts";
import { buildOpenApi } from "../../src/contract/openapi.ts";
import type { OperationContract } from "../../src/contract/operation.ts";
import type { Access } from "./access.ts";
import { type Facts, factsOf } from "./facts.ts";
import type { Schema } from "./openapi.ts";

/** The committed manifest: what was published, and must hold as long as /v1 exists. */
export interface Manifest {
  readonly settings: readonly string[];
  readonly access: Access;
  readonly facts: Facts;
}

/** What the code publishes now. */
export function publishedFacts(operations: readonly OperationContract[]): Facts {
  const errors = Object.entries(ERRORS).map(([code, { statuses }]) => [
    code,
    { statuses, details: z.toJSONSchema(DETAILS[code as ErrorCode], { io: "output" }) as Schema },
  ]);
  return factsOf({
    document: buildOpenApi(operations, "https://sluice.example"),
    errors: Object.fromEntries(errors) as Record<string, { statuses: number[]; details: Schema }>,
  });
}

/** One fact per line, so that a diff of the manifest is readable. */
export function manifestText({ settings, access: { roles, operations }, facts }: Manifest): string {
  return [
    `{\n  "settings": ${JSON.stringify(settings)},\n  "access": {\n`,
    `    "roles": ${linesOf(roles, 4)},\n    "operations": ${linesOf(operations, 4)}\n  },\n`,
    `  "facts": ${linesOf(facts, 2)}\n}\n`,
  ].join("");
}

function linesOf(entries: object, indent: number): string {
  const margin = " ".repeat(indent);
  const lines = Object.entries(entries).map(
    ([name, value]) => `${margin}  ${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  return `{\n${lines.join(",\n")}\n${margin}}`;
}
