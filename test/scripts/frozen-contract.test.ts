import { describe, expect, test } from "vitest";
import { brokenPromises } from "../../scripts/frozen-contract/compare.ts";
import { factsOf } from "../../scripts/frozen-contract/facts.ts";

/** A small contract with one item of every kind. Loosely typed, because the tests plant changes anywhere in it. */
function contract() {
  return {
    errors: {
      not_found: { statuses: [404], details: { type: "object" } },
      chain_budget_exceeded: {
        statuses: [402, 429],
        details: {
          type: "object",
          properties: {
            reason: { type: "string", enum: ["cost", "depth"] },
            limit: { type: ["string", "integer"] },
          },
          required: ["reason", "limit"],
        },
      },
    },
    document: {
      components: {
        schemas: {
          Thing: {
            type: "object",
            properties: {
              id: { type: "string", pattern: "^thg_" },
              note: { type: "string" },
              kind: { type: "string", enum: ["a", "b"] },
              tags: { type: "array", items: { type: "object", properties: { name: { type: "string" } } } },
            },
            required: ["id", "kind"],
          },
        },
      },
      paths: {
        "/v1/things/{id}": {
          get: {
            parameters: [
              { name: "id", in: "path", required: true, schema: { type: "string" } },
              {
                name: "limit",
                in: "query",
                schema: { type: "integer", minimum: 1, maximum: 200, default: 50 },
              },
            ],
            responses: {
              "200": { content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } } },
              "404": {
                content: {
                  "application/json": {
                    schema: {
                      anyOf: ["not_found", "gone"].map((code) => ({
                        type: "object",
                        properties: { error: { type: "object", properties: { code: { const: code } } } },
                      })),
                    },
                  },
                },
              },
            },
          },
          patch: {
            requestBody: {
              required: true,
              content: {
                "application/json": {
                  schema: {
                    type: "object",
                    properties: {
                      kind: { type: "string", enum: ["a", "b"] },
                      name: { type: "string", maxLength: 64 },
                      size: { anyOf: [{ type: "integer" }, { type: "null" }] },
                    },
                    required: ["kind"],
                  },
                },
              },
            },
            responses: { "200": {} },
          },
        },
        "/v1/other": { get: { responses: { "200": {} } } },
      },
    },
  };
}

type Planted = ReturnType<typeof contract>;
type Loose = Record<string, unknown>;

const body = (planted: Planted) =>
  planted.document.paths["/v1/things/{id}"].patch.requestBody.content["application/json"].schema;
const chain = (planted: Planted) => planted.errors.chain_budget_exceeded.details;
const thing = (planted: Planted) => planted.document.components.schemas.Thing;
const read = (planted: Planted) => planted.document.paths["/v1/things/{id}"].get;

function findings(plant: (planted: Planted) => void): string[] {
  const planted = contract();
  plant(planted);
  return brokenPromises(factsOf(contract()), factsOf(planted));
}

describe("the frozen contract is broken by", () => {
  test.each<[what: string, plant: (planted: Planted) => void, finding: RegExp]>([
    ["a path that is gone", (p) => delete (p.document.paths as Loose)["/v1/other"], /^\/v1\/other: gone$/],
    [
      "an operation that is gone",
      (p) => delete (p.document.paths["/v1/things/{id}"] as Loose)["patch"],
      /^PATCH \S+: gone/,
    ],
    ["a parameter that is gone", (p) => read(p).parameters.pop(), /query limit: gone/],
    [
      "a field of an answer that is gone",
      (p) => delete (thing(p).properties as Loose)["note"],
      /200 \S+\.note: gone/,
    ],
    [
      "a nested field that is gone",
      (p) => delete (thing(p).properties.tags.items.properties as Loose)["name"],
      /\.tags\[\]\.name: gone/,
    ],
    [
      "a field of a body that is gone",
      (p) => delete (body(p).properties as Loose)["name"],
      /body \S+\.name: gone/,
    ],
    [
      "a value of an answer's enum that is gone",
      (p) => thing(p).properties.kind.enum.pop(),
      /200 \S+\.kind = "b": gone/,
    ],
    [
      "a value of a body's enum that is gone",
      (p) => body(p).properties.kind.enum.pop(),
      /body \S+\.kind = "b": gone/,
    ],
    [
      "a code that an operation no longer documents",
      (p) => read(p).responses["404"].content["application/json"].schema.anyOf.pop(),
      /^GET \S+ 404 gone: gone$/,
    ],
    ["a status that is gone", (p) => delete (read(p).responses as Loose)["404"], / 404: gone/],
    ["a code that is gone", (p) => delete (p.errors as Loose)["not_found"], /^error not_found: gone/],
    [
      "a code's status that is gone",
      (p) => p.errors.chain_budget_exceeded.statuses.pop(),
      /^error chain_budget_exceeded 429: gone/,
    ],
    [
      "a code's details field that is gone",
      (p) => delete (chain(p).properties as Loose)["limit"],
      /details\.limit: gone/,
    ],
    [
      "a code's details value that is gone",
      (p) => chain(p).properties.reason.enum.pop(),
      /reason = "depth": gone/,
    ],
  ])("%s", (_what, plant, finding) => {
    expect(findings(plant)).toContainEqual(expect.stringMatching(finding));
  });

  test.each<[what: string, plant: (planted: Planted) => void, finding: RegExp]>([
    [
      "an answer's field of another type",
      (p) => Object.assign(thing(p).properties.note, { type: "number" }),
      /note: can now be number/,
    ],
    [
      "an answer's field that can now be null",
      (p) => Object.assign(thing(p).properties.note, { type: ["string", "null"] }),
      /note: can now be null/,
    ],
    ["an answer's field that can now be missing", (p) => thing(p).required.pop(), /kind: was always present/],
    [
      "an answer's field of another form",
      (p) => Object.assign(thing(p).properties.id, { pattern: "^x_" }),
      /id: pattern was/,
    ],
    [
      "a body's field that no longer takes null",
      (p) => Object.assign(body(p).properties, { size: { type: "integer" } }),
      /size: no longer accepts null/,
    ],
    ["a body's field that must now be sent", (p) => body(p).required.push("name"), /name: was optional/],
    [
      "a new field that must be sent",
      (p) => {
        Object.assign(body(p).properties, { extra: { type: "string" } });
        body(p).required.push("extra");
      },
      /extra: callers are now required to send it/,
    ],
    [
      "a body's field that takes less",
      (p) => Object.assign(body(p).properties.name, { maxLength: 10 }),
      /name: most was 64, is 10/,
    ],
    [
      "a body's field with a new pattern",
      (p) => Object.assign(body(p).properties.name, { pattern: "^a" }),
      /name: pattern was none/,
    ],
    [
      "a body's field that now takes only some values",
      (p) => Object.assign(body(p).properties.name, { enum: ["x"] }),
      /name: accepted any value/,
    ],
    [
      "a parameter that must now be sent",
      (p) => Object.assign(read(p).parameters[1] ?? {}, { required: true }),
      /limit: was optional/,
    ],
    [
      "a new parameter that must be sent",
      (p) =>
        read(p).parameters.push({ name: "must", in: "query", required: true, schema: { type: "string" } }),
      /query must: callers are now required to send it/,
    ],
    [
      "another default",
      (p) => Object.assign(read(p).parameters[1]?.schema ?? {}, { default: 20 }),
      /limit: default was 50, is 20/,
    ],
    [
      "a narrower bound",
      (p) => Object.assign(read(p).parameters[1]?.schema ?? {}, { maximum: 100 }),
      /limit: most was 200/,
    ],
  ])("%s", (_what, plant, finding) => {
    expect(findings(plant)).toContainEqual(expect.stringMatching(finding));
  });
});

describe("the frozen contract is not broken by", () => {
  test.each<[what: string, plant: (planted: Planted) => void]>([
    ["nothing at all", () => undefined],
    [
      "a new path with fields that must be sent",
      (p) =>
        Object.assign(p.document.paths, { "/v1/new": { post: p.document.paths["/v1/things/{id}"].patch } }),
    ],
    [
      "a new operation",
      (p) => Object.assign(p.document.paths["/v1/other"], { delete: { responses: { "204": {} } } }),
    ],
    [
      "a new parameter that may be left out",
      (p) =>
        read(p).parameters.push({ name: "may", in: "query", required: false, schema: { type: "string" } }),
    ],
    ["a new field of an answer", (p) => Object.assign(thing(p).properties, { more: { type: "string" } })],
    [
      "a new field of a body that may be left out",
      (p) => Object.assign(body(p).properties, { more: { type: "string" } }),
    ],
    [
      "a new object in a body that may be left out, whose own fields must be sent",
      (p) =>
        Object.assign(body(p).properties, {
          more: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
        }),
    ],
    [
      "a new value of an enum",
      (p) => [thing(p), body(p)].forEach((schema) => schema.properties.kind.enum.push("c")),
    ],
    ["a new status", (p) => Object.assign(read(p).responses, { "409": {} })],
    [
      "a new code, and a new details field",
      (p) => {
        Object.assign(p.errors, { new: { statuses: [400], details: { type: "object" } } });
        Object.assign(chain(p).properties, { used: { type: "string" } });
      },
    ],
    ["a body that takes more", (p) => Object.assign(body(p).properties.name, { maxLength: 128 })],
    ["a body's field that may now be left out", (p) => body(p).required.pop()],
    ["an answer's field that is now always there", (p) => thing(p).required.push("note")],
  ])("%s", (_what, plant) => {
    expect(findings(plant)).toEqual([]);
  });
});

test("the facts do not depend on how a schema is written", () => {
  const written = contract();
  const inlined = contract();
  Object.assign(read(inlined).responses["200"].content["application/json"], { schema: thing(inlined) });
  Object.assign(body(inlined).properties, { size: { type: ["null", "integer"] } });
  expect(factsOf(inlined)).toEqual(factsOf(written));
});
