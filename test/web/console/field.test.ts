import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bodyOf, draftOf, type Field, refusedDraft } from "../../../src/web/console/view/field.ts";

const FIELDS: readonly Field[] = [
  { name: "title", label: "Title", kind: "text" },
  { name: "limit_usd", label: "Limit", kind: "money" },
  { name: "gate.samples", label: "Samples", kind: "integer" },
  { name: "gate.bar", label: "Bar", kind: "number" },
  { name: "regions", label: "Regions", kind: "list", whenEmpty: [] },
  { name: "hold", label: "Hold", kind: "flag" },
];

const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,12}$/);
const record = fc.record({
  title: word,
  limit_usd: fc.nat({ max: 10_000 }).map((cents) => (cents / 100).toFixed(2)),
  gate: fc.record({ samples: fc.nat(), bar: fc.nat({ max: 1000 }).map((part) => part / 1000) }),
  regions: fc.array(word, { maxLength: 4 }),
  hold: fc.boolean(),
});

test("a form that is submitted unchanged gives the values that filled it in", () => {
  fc.assert(
    fc.property(record, (stored) => {
      const form = new URLSearchParams(draftOf(stored, FIELDS).values);
      expect(bodyOf(form, FIELDS)).toEqual(stored);
    }),
  );
});

test("an empty field is omitted, or has the value of its description", () => {
  const form = new URLSearchParams({ title: " ", limit_usd: "", regions: "" });
  expect(bodyOf(form, FIELDS)).toEqual({ regions: [], hold: false });
});

test("text that is not a number is sent as typed, so that the API reports the error", () => {
  const form = new URLSearchParams({ "gate.samples": "many", "gate.bar": "1e9" });
  expect(bodyOf(form, FIELDS)).toMatchObject({ gate: { samples: "many", bar: "1e9" } });
});

test("a secret is never filled in", () => {
  const fields: readonly Field[] = [{ name: "client_secret", label: "Secret", kind: "secret" }];
  expect(draftOf({ client_secret: "x" }, fields).values).toEqual({});
});

test("each error is shown next to its field, and an error without a field is shown at the top", () => {
  const fields = [
    { field: "gate.bar", message: "must be at most 1" },
    { field: "regions[2]", message: "must be a region" },
    { field: "body", message: "must set something" },
  ];
  const error = { message: "No.", details: { fields } };
  const draft = refusedDraft(new URLSearchParams({ title: "Kept" }), { error }, FIELDS);
  expect(draft).toEqual({
    values: { title: "Kept" },
    errors: { "gate.bar": "must be at most 1", regions: "must be a region" },
    problem: "body must set something.",
  });
});
