import { expect, test } from "vitest";
import { buildOpenApi } from "../../src/contract/openapi.ts";
import { routeOf } from "../../src/contract/operation.ts";
import { EXAMPLE_REPLIES } from "../../src/contract/reference/example-replies.ts";
import { OPERATIONS } from "../../src/operations.ts";

interface Described {
  readonly parameters?: readonly {
    in: string;
    name: string;
    schema: { type?: string; examples?: unknown[] };
  }[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Answer>> }>>;
}
interface Answer {
  readonly schema: object;
  readonly example?: unknown;
}

const contracts = OPERATIONS.map(({ contract }) => contract);
const document = buildOpenApi(contracts, "https://api.sluice.dev") as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
};
const replies = contracts.flatMap((op) =>
  Object.entries(op.reply).flatMap(([status, shape]) =>
    shape === null ? [] : [{ name: `${routeOf(op)} ${status}`, op, status, shape }],
  ),
);
test.each(replies)("$name has an example that is valid", ({ op, status, shape }) => {
  const answer =
    document.paths[op.path]?.[op.method.toLowerCase()]?.responses[status]?.content?.["application/json"];
  expect(answer?.example).toBeDefined();
  expect(shape.safeParse(answer?.example).error?.issues).toBeUndefined();
});

test("every form of every 2xx reply has an example", () => {
  const lacking = contracts.flatMap((op) =>
    Object.keys(op.reply).flatMap((status) => {
      const { content = {} } = document.paths[op.path]?.[op.method.toLowerCase()]?.responses[status] ?? {};
      const without = Object.entries(content).filter(
        ([, { example }]) => example === undefined || example === "…",
      );
      return without.map(([media]) => `${routeOf(op)} ${status} ${media}`);
    }),
  );
  expect(lacking).toEqual([]);
});

test("no field's example is only its name; else give it one in src/contract/reference/reply-words.ts", () => {
  const found = replies.flatMap(({ name, op, status }) => {
    const { content = {} } = document.paths[op.path]?.[op.method.toLowerCase()]?.responses[status] ?? {};
    return Object.values(content).flatMap(({ example }) => namedLikeThemselves(name, "", example));
  });
  expect(found).toEqual([]);
});

/** Returns where the text is the name of its own field: nobody has said what stands there. */
function namedLikeThemselves(place: string, field: string, example: unknown): string[] {
  if (example === field.replaceAll("_", " ")) return [place];
  if (Array.isArray(example)) return example.flatMap((one) => namedLikeThemselves(place, field, one));
  if (typeof example !== "object" || example === null) return [];
  return Object.entries(example).flatMap(([name, one]) => namedLikeThemselves(`${place}.${name}`, name, one));
}

test("every reply that is written by hand is of an operation", () => {
  expect(
    Object.keys(EXAMPLE_REPLIES).filter((route) => !contracts.some((op) => routeOf(op) === route)),
  ).toEqual([]);
  expect(replies.length).toBeGreaterThan(100);
});

/** A parameter that takes digits, and no other text, is a number to whoever makes a client of the document. */
test("every number in a query is a number in the document, with an example in its bounds", () => {
  const numbers = contracts.flatMap((op) =>
    Object.entries(op.query?.shape ?? {}).flatMap(([name, shape]) => {
      const takes = (text: string) =>
        (shape as { safeParse(value: unknown): { success: boolean } }).safeParse(text).success;
      const isNumber =
        ["1", "7", "30"].some(takes) &&
        !["x", "", "true", "2026-01-01", "1.2"].some((text) => takes(text) && text !== "1.2");
      return isNumber ? [{ op, name, takes }] : [];
    }),
  );
  for (const { op, name, takes } of numbers) {
    const parameter = document.paths[op.path]?.[op.method.toLowerCase()]?.parameters?.find(
      (one) => one.in === "query" && one.name === name,
    );
    expect([routeOf(op), name, ["integer", "number"].includes(parameter?.schema.type ?? "")]).toEqual([
      routeOf(op),
      name,
      true,
    ]);
    expect(takes(String(parameter?.schema.examples?.[0]))).toBe(true);
  }
  expect(numbers.length).toBeGreaterThan(30);
});

test("the growth rate says what time it is for", () => {
  const parameters = document.paths["/v1/capacity/forecasts"]?.["get"]?.parameters ?? [];
  expect(JSON.stringify(parameters.find(({ name }) => name === "growth_rate"))).toContain("in 30 days");
});
