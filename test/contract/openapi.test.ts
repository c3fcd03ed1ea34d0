import { createConfig, lintFromString } from "@redocly/openapi-core";
import { expect, test } from "vitest";
import { OPERATIONS } from "../../src/app.ts";
import { ERRORS } from "../../src/contract/errors.ts";
import { buildOpenApi } from "../../src/contract/openapi.ts";

const contracts = OPERATIONS.map((operation) => operation.contract);
const document = buildOpenApi(contracts, "https://api.sluice.dev") as {
  paths: Record<string, Record<string, { responses: Record<string, object>; operationId: string }>>;
};

test("the OpenAPI document passes a strict linter with no warning", async () => {
  const config = await createConfig({ extends: ["recommended-strict"] });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  expect(
    problems.map((problem) => `${problem.ruleId} ${problem.location[0]?.pointer ?? ""}: ${problem.message}`),
  ).toEqual([]);
});

test("every operation is in it once, with each status that it may answer", () => {
  const listed = Object.values(document.paths).flatMap((path) => Object.values(path));
  expect(listed).toHaveLength(contracts.length);
  expect(new Set(listed.map((op) => op.operationId)).size).toBe(contracts.length);
  for (const op of contracts) {
    const responses = document.paths[op.path]?.[op.method.toLowerCase()]?.responses ?? {};
    for (const status of Object.keys(op.reply)) expect(responses).toHaveProperty(status);
    for (const code of op.refuses) {
      expect(ERRORS[code].statuses.some((status) => String(status) in responses)).toBe(true);
    }
  }
});
