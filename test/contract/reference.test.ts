import { expect, test } from "vitest";
import { CONTRACTS } from "../../src/operations.ts";
import { buildOpenApi, tagOf } from "../../src/contract/openapi.ts";
import { routeOf } from "../../src/contract/operation.ts";
import type { Parameter, Schema } from "../../src/contract/reference/complete.ts";
import { EXAMPLE_BODIES } from "../../src/contract/reference/example-bodies.ts";
import { SECTIONS } from "../../src/contract/reference/sections.ts";

interface Described {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, { schema: Schema; example?: unknown }> };
  readonly "x-codeSamples": readonly { readonly label: string; readonly source: string }[];
}

const BASE = "https://api.sluice.dev";
const document = buildOpenApi(CONTRACTS, BASE) as {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema> };
  tags: { name: string }[];
  "x-tagGroups": { tags: string[] }[];
};
const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, op]) => [`${method.toUpperCase()} ${path}`, op] as const),
);

/** Every field of a request body, however deep, by its path. */
function fieldsOf(schema: Schema, path: string, found = new Map<string, Schema>()): Map<string, Schema> {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
    return found.has(name)
      ? found
      : fieldsOf(document.components.schemas[name] ?? {}, name, found.set(name, {}));
  }
  const { anyOf = [], oneOf = [], allOf = [], items, properties = {} } = schema;
  for (const part of [...anyOf, ...oneOf, ...allOf, ...(items === undefined ? [] : [items])])
    fieldsOf(part, path, found);
  for (const [name, field] of Object.entries(properties))
    fieldsOf(field, `${path}.${name}`, found.set(`${path}.${name}`, field));
  return found;
}

const isShown = ({ examples, example, const: only, $ref }: Schema) =>
  examples !== undefined || example !== undefined || only !== undefined || $ref !== undefined;

test("every field of every request has a description and an example", () => {
  const lacking: string[] = [];
  let fields = 0;
  for (const [route, { requestBody }] of listed) {
    const schema = requestBody?.content["application/json"]?.schema;
    if (schema === undefined) continue;
    for (const [path, field] of fieldsOf(schema, route)) {
      if (!path.includes(".")) continue;
      fields += 1;
      if (field.description === undefined && field.$ref === undefined) lacking.push(`${path}: description`);
      if (!isShown(field)) lacking.push(`${path}: example`);
    }
  }
  expect(lacking).toEqual([]);
  expect(fields).toBeGreaterThan(400);
});

test("every parameter has a description and an example", () => {
  const lacking = listed.flatMap(([route, { parameters = [] }]) =>
    parameters
      .filter(
        ({ description, schema = {} }) =>
          (description ?? schema.description) === undefined || !isShown(schema),
      )
      .map(({ in: place, name }) => `${route} ${place}:${name}`),
  );
  expect(lacking).toEqual([]);
});

test("the example body of every operation is one that it accepts", () => {
  const refused = CONTRACTS.flatMap((op) => {
    const example =
      document.paths[op.path]?.[op.method.toLowerCase()]?.requestBody?.content["application/json"]?.example;
    const parsed = op.body === undefined ? undefined : op.body.safeParse(example);
    return parsed === undefined || parsed.success ? [] : [`${routeOf(op)}: ${parsed.error.message}`];
  });
  expect(refused).toEqual([]);
  expect(
    Object.keys(EXAMPLE_BODIES).filter((route) => !CONTRACTS.some((op) => routeOf(op) === route)),
  ).toEqual([]);
});

test("the sidebar begins with decisions, and has a place and words for every operation", () => {
  const tags = document.tags.map(({ name }) => name);
  expect(tags.slice(0, 2)).toEqual(["edge", "runs"]);
  expect(tags).toEqual(SECTIONS.flatMap((section) => Object.keys(section.tags)));
  expect(document["x-tagGroups"].flatMap((group) => group.tags)).toEqual(tags);
  expect(new Set(CONTRACTS.map(tagOf))).toEqual(new Set(tags));
});

test("every operation shows curl, TypeScript and Python, with no parameter left open", () => {
  for (const [route, op] of listed) {
    const samples = op["x-codeSamples"];
    expect([route, samples.map(({ label }) => label)]).toEqual([route, ["curl", "TypeScript", "Python"]]);
    for (const { source } of samples) {
      expect([route, source.includes(`${BASE}/v1/`), /\/\{|undefined/.test(source)]).toEqual([
        route,
        true,
        false,
      ]);
    }
  }
});
