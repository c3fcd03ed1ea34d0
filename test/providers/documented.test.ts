import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Provider } from "../../src/providers/provider.ts";
import { PROVIDERS } from "../../src/providers/table.ts";

/** docs/proxy.md has one table of providers, which must say what the table of the code says. */

const HEAD = "| provider | prefix | paths that are metered | SDK | metered by |";
const page = readFileSync("docs/proxy.md", "utf8");
const lines = page.slice(page.indexOf(HEAD)).split("\n").slice(2);
const rows = lines
  .slice(
    0,
    lines.findIndex((line) => !line.startsWith("|")),
  )
  .map((line) => {
    const [name = "", prefixes = "", paths = "", sdk = "", metered = ""] = line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim());
    return { name, prefixes: codeIn(prefixes), paths: codeIn(paths), sdk, metered };
  });

function codeIn(cell: string): string[] {
  return Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = ""]) => code);
}

test("every prefix is in the table once", () => {
  const documented = rows.flatMap(({ prefixes }) => prefixes);
  expect(documented.toSorted()).toEqual(
    Object.keys(PROVIDERS)
      .map((name) => `/${name}`)
      .toSorted(),
  );
});

test.each(rows)("$name: its paths are those that are metered, and nothing is left open", (row) => {
  for (const prefix of row.prefixes) {
    const { serves }: Provider = PROVIDERS[prefix.slice(1) as keyof typeof PROVIDERS];
    expect([prefix, row.paths.toSorted()]).toEqual([prefix, Object.keys(serves).toSorted()]);
  }
  expect(row.sdk).not.toBe("");
  expect(row.metered).not.toBe("");
});
