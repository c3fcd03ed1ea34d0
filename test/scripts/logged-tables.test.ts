import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/**
 * While the write-ahead log has changes that a table has not, a statement that reads the table reads what was. A table tells
 * its name only for a storage with a checkpoint, so nobody else can write such a statement, unless they write the name.
 */
const DECLARED = /new (?:Table|PagedTable|AppendOnlyLog<\w+>)\(\s*\{\s*name: "(\w+)"/g;
const PAGES = /\b(?:table|pages): "(\w+_pages)"/g;

const files = globSync("src/**/*.ts")
  .filter((file) => !file.endsWith("schema.ts"))
  .map((file) => [file, readFileSync(file, "utf8")] as const);

/** By name, the file that declares the table, and reads it together with what memory has. */
const tables = new Map(
  files.flatMap(([file, text]) => {
    const names = [...text.matchAll(DECLARED)].map(([, name = ""]) => name);
    const pages = names.length === 0 ? [] : [...text.matchAll(PAGES)].map(([, name = ""]) => name);
    return [...names, ...pages].map((name) => [name, file] as const);
  }),
);

function named(text: string): string[] {
  const names = [...tables.keys()].join("|");
  const statement = new RegExp(String.raw`\b(?:FROM|JOIN|INTO|UPDATE)\s+"?(${names})\b`, "g");
  return [...text.matchAll(statement)].map(([, name = ""]) => name);
}

test("only the file that declares a table of the write-ahead log names it in a statement", () => {
  expect([...tables.keys()]).toEqual(
    expect.arrayContaining(["usage", "usage_daily", "holds", "hold_pages", "audit"]),
  );
  const elsewhere = files.flatMap(([file, text]) =>
    named(text)
      .filter((name) => tables.get(name) !== file)
      .map((name) => `${file}: ${name}`),
  );
  expect(elsewhere).toEqual([]);
});

test("a statement that names such a table is found", () => {
  expect(
    named("SELECT * FROM usage WHERE true; DELETE FROM hold_pages; UPDATE usage_daily SET x = 1"),
  ).toEqual(["usage", "hold_pages", "usage_daily"]);
  expect(named("SELECT 1 FROM usages; SELECT 1 FROM ${USAGE.in(sql)}")).toEqual([]);
});
