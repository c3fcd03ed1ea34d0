import { expect, test } from "vitest";
import { STATED_SCOPES, type StoredScopes } from "../../../src/contract/scopes.ts";
import { readBatch, writeBatch } from "../../../src/domain/refusal/batch.ts";
import { namesOf, storedNames } from "../../../src/domain/refusal/names.ts";
import type { RefusalNote } from "../../../src/domain/refusal/note.ts";

const scopes = Object.fromEntries(
  STATED_SCOPES.map(({ property }) => [property, `of ${property}`]),
) as StoredScopes;

const note: RefusalNote = {
  at: 1,
  trace: "t",
  decided: "edge",
  operation: "o",
  status: 402,
  code: "c",
  details: "{}",
  limit: "l",
  keyId: "k",
  model: "m",
  userId: "u",
  nanos: "5",
  ...scopes,
};

const unnamed = { ...storedNames({}), keyId: null };

const NOTES: readonly (readonly [what: string, note: RefusalNote])[] = [
  ["all names", note],
  ["all names and a parent", { ...note, parent: "p" }],
  ["no names", { ...note, ...unnamed }],
  ["no names and a parent", { ...note, ...unnamed, parent: "p" }],
  ...STATED_SCOPES.map(({ property, kind }) => [`no ${kind}`, { ...note, [property]: null }] as const),
];

test.each(NOTES)("a refusal with %s is read as it was written", (_, written) => {
  const stored = JSON.parse(JSON.stringify(writeBatch({ notes: [written], more: [] }))) as never;
  expect(readBatch(stored).notes).toEqual([written]);
});

test("a stored refusal has each name at its place", () => {
  const { texts, notes } = writeBatch({ notes: [{ ...note, parent: "p" }], more: [] });
  const said = notes[0]?.map((part) => (typeof part === "number" ? (texts[part] ?? part) : part));
  const names = ["of customerId", "of workflowId", "of departmentId", "of deploymentId", "u", "p"];
  expect(said?.slice(11, 17)).toEqual(names);
});

test("a refusal without names that came later is read", () => {
  const short = [1, "t", "5", 402, 0, 0, 0, 0, 0, null, null] as const;
  const [read] = readBatch({ texts: ["edge"], notes: [[...short]], more: [] }).notes;
  expect(read).toMatchObject({ ...unnamed, decided: "edge" });
});

test("names are stored and shown under their own names", () => {
  expect(storedNames(namesOf(note, undefined))).toEqual({ model: "m", userId: "u", ...scopes });
});
