import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { generatedFiles } from "../../scripts/client/generated.ts";
import { methodNames, unlistedFiles } from "../../scripts/client/method-names.ts";
import { typeOf } from "../../scripts/client/shape-text.ts";
import { OPERATIONS } from "../../src/operations.ts";
import { OPERATIONS as TABLE } from "../../src/client/generated/operations.ts";
import { routeOf } from "../../src/contract/operation.ts";

const contracts = OPERATIONS.map(({ contract }) => contract);
const listText = readFileSync("src/operations.ts", "utf8");
const files = generatedFiles(contracts, listText);

test.each([...files.keys()])("%s is as the contract has it; else run `npm run generate`", (path) => {
  expect(readFileSync(path, "utf8")).toBe(files.get(path));
});

test("the client has every operation, once", () => {
  const routes = Object.values(TABLE).flatMap((methods) =>
    Object.values(methods).map((line: string) => line.split(" ").slice(0, 2).join(" ")),
  );
  expect(routes.toSorted()).toEqual(contracts.map(routeOf).toSorted());
});

test("every operation of src/api is listed in src/operations.ts", () => {
  expect(unlistedFiles(listText)).toEqual([]);
  const without = listText.replace(/^.*\/budgets\/get\.ts";$/m, "");
  expect(unlistedFiles(without)).toEqual(["src/api/budgets/get.ts"]);
});

test("no two operations have one name", () => {
  const names = methodNames(listText).map(({ group, method }) => `${group}.${method}`);
  expect(new Set(names).size).toBe(contracts.length);
});

test("a changed contract changes what is generated", () => {
  const [first, ...rest] = contracts;
  if (first === undefined) throw new Error("there are no operations");
  const changed = generatedFiles([{ ...first, idempotent: false }, ...rest], listText);
  const path = "src/client/generated/operations.ts";
  expect(changed.get(path)).not.toBe(files.get(path));
});

describe("shapes as types", () => {
  test.each([
    [{ type: "string", enum: ["a", "b"] }, '"a" | "b"'],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, "string | null"],
    [
      { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } },
      "readonly (string | number)[]",
    ],
    [{ type: ["integer", "null"] }, "number | null"],
    [{ type: "string", allOf: [{ pattern: "a" }] }, "string"],
    [{ type: "object", properties: {}, additionalProperties: {} }, "Readonly<Record<string, unknown>>"],
    [{ $ref: "#/components/schemas/Budget" }, "Budget"],
    [{}, "unknown"],
  ])("%j", (schema, text) => {
    expect(typeOf(schema)).toBe(text);
  });

  test("of an object, with what may be left out", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "string" }, "b-c": { type: "integer", description: "How many." } },
      required: ["a"],
    };
    expect(typeOf(schema)).toBe(
      '{\nreadonly a: string;\n/** How many. */\nreadonly "b-c"?: number | undefined;\n}',
    );
  });
});
