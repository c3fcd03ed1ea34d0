import { expect, test } from "vitest";
import * as z from "zod";
import { CONTRACTS } from "../../src/operations.ts";
import { checkShape } from "../../src/edge/request/validate.ts";

/** What a validator says by itself names its own types and patterns. What is "not accepted" or "expected" says too little. */
const RAW = /Invalid|expected|not accepted here|received|Too (small|big)|Unrecognized|\/\^|undefined/;

const WRONG: readonly unknown[] = [
  undefined,
  null,
  true,
  -1,
  1.5,
  1e30,
  "",
  "§",
  "§".repeat(5000),
  [],
  [[]],
  ["§"],
  {},
];

/** Each field of a shape with each wrong value, all other fields left out. */
function* messagesOf(shape: z.ZodType): Generator<string> {
  const fields = shape instanceof z.ZodObject ? Object.keys(shape.shape) : [];
  for (const value of [...WRONG, ...fields.flatMap((name) => WRONG.map((wrong) => ({ [name]: wrong })))]) {
    const checked = checkShape(shape, value, "invalid_body");
    if (!("refused" in checked)) continue;
    const { fields: errors } = checked.details as { fields: readonly { field: string; message: string }[] };
    for (const { field, message } of errors) yield `${field} ${message}`;
  }
}

test("every operation says in plain English what is wrong with a field", () => {
  let seen = 0;
  for (const { method, path, body, query } of CONTRACTS) {
    for (const shape of [body, query]) {
      if (shape === undefined) continue;
      for (const message of messagesOf(shape)) {
        expect([method, path, message]).toEqual([method, path, expect.not.stringMatching(RAW)]);
        seen += 1;
      }
    }
  }
  expect(seen).toBeGreaterThan(1000);
});

const oneOrMany = z.union([
  z.string().regex(/^a$/, "must be an a"),
  z.array(z.string().min(1)).min(1).max(2),
]);

test.each([
  [oneOrMany, "b", { field: "field", code: "invalid_format", message: "must be an a" }],
  [oneOrMany, ["a", 1], { field: "field[1]", code: "invalid_type", message: "must be a string" }],
  [oneOrMany, [], { field: "field", code: "empty", message: "must not be empty" }],
  [oneOrMany, 1, { field: "field", code: "invalid_type", message: "must be a string or a list" }],
  [
    z.union([z.enum(["a", "b"]), z.array(z.enum(["a", "b"]))]),
    ["a", "c"],
    { field: "field[1]", message: "must be a or b" },
  ],
  [oneOrMany, undefined, { field: "field", code: "required", message: "is required" }],
])("%# of two forms, the one that a value has says what is wrong", (shape, value, error) => {
  const checked = checkShape(z.strictObject({ field: shape }), { field: value }, "invalid_body");
  expect(checked).toMatchObject({ details: { fields: [error] } });
});

test.each([
  [z.int(), "ten", "must be a whole number"],
  [z.number(), "ten", "must be a number"],
  [z.int().min(1), 0, "must be at least 1"],
  [z.int().max(9), 10, "must be at most 9"],
  [z.string().min(1), "", "must not be empty"],
  [z.string().max(2), "abc", "must have at most 2 characters"],
  [z.array(z.string()).min(2), ["a"], "must have at least 2 entries"],
  [z.enum(["day", "week", "month"]), "year", "must be day, week or month"],
  [z.boolean(), "yes", "must be true or false"],
  [z.string().regex(/^a$/, "must be an a"), "b", "must be an a"],
])("%# says: %s", (shape, value, message) => {
  const checked = checkShape(z.strictObject({ field: shape }), { field: value }, "invalid_body");
  expect(checked).toMatchObject({ details: { fields: [{ field: "field", message }] } });
});
