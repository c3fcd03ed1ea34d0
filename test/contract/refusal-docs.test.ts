import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ERRORS } from "../../src/contract/errors.ts";
import { LIMIT_CODES } from "../../src/contract/limit-codes.ts";

const rows = [...readFileSync("docs/refusals.md", "utf8").matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm)];

test("docs/refusals.md lists every code of a limit or a rule, in the order of the checks", () => {
  const listed = rows.map(([, code = ""]) => code).filter((code) => code in ERRORS);
  expect([...new Set(listed)]).toEqual([...LIMIT_CODES]);
});

test.each(LIMIT_CODES)("docs/refusals.md has every status of %s", (code) => {
  const statuses = rows.flatMap(([, named, text = ""]) => (named === code ? (text.match(/\d+/g) ?? []) : []));
  expect(statuses.map(Number)).toEqual([...ERRORS[code].statuses]);
});
