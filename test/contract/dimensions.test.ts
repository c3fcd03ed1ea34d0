import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../scripts/worker-config.ts";
import { ATTRIBUTED, DIMENSION_NAMES, DIMENSIONS, MATCHED, RATED } from "../../src/contract/dimensions.ts";
import { attribution } from "../../src/contract/resources/decisions/attribution.ts";
import { budgetMatch } from "../../src/contract/resources/budgets/budget-match.ts";
import { rateLimits } from "../../src/contract/resources/rate-limits.ts";
import { RUN_FILTERS } from "../../src/contract/resources/runs/run-filter-shape.ts";
import { reportQuery } from "../../src/contract/resources/usage/usage-report.ts";
import { CORRECTION_COLUMNS } from "../../src/domain/export/correction.ts";
import { VARIABLE_TYPES } from "../../src/domain/policy/variables.ts";
import { NAME_COLUMNS } from "../../src/domain/run/segment/record.ts";
import { RUN_EXPORTS } from "../../src/domain/run/export-formats.ts";

const doc = (name: string) => readFileSync(join(ROOT, "docs", name), "utf8");
/** The names in backquotes, from one text of a page until before another. */
function namedBetween(page: string, from: string, to: string): string[] {
  const start = page.indexOf(from);
  const end = page.indexOf(to, start);
  if (start === -1 || end === -1) throw new Error(`the page lacks '${start === -1 ? from : to}'`);
  return [...page.slice(start, end).matchAll(/`([a-z_]+)`/g)].map(([, name = ""]) => name);
}

/** By what uses it: the names that it must know, and those that it knows. */
const USES: readonly (readonly [use: string, needed: readonly string[], known: readonly string[]])[] = [
  ["filters of runs", DIMENSION_NAMES, Object.keys(RUN_FILTERS)],
  ["budgets", [...MATCHED, "tags"], Object.keys(budgetMatch.shape)],
  ["rate limits", [...RATED, "tags"], Object.keys(rateLimits.shape.policies.element.shape.match.shape)],
  [
    "rules",
    [...RATED.filter((name) => name !== "key_id" && name !== "chain_id"), "tags", "chain"],
    Object.keys(VARIABLE_TYPES["run"]?.fields ?? {}),
  ],
  ["what callers name", [...ATTRIBUTED, "tags"], Object.keys(attribution)],
  ["stored runs", DIMENSIONS.map(({ property }) => property), NAME_COLUMNS],
  ["CSV exports", [...RATED, "tags"], RUN_EXPORTS.csv.header.trim().split(",")],
  ["exported corrections", [...MATCHED, "tags"], CORRECTION_COLUMNS.map(({ name }) => name)],
  [
    "docs of budgets",
    [...MATCHED, "tags"],
    namedBetween(doc("limits.md"), "| `match` |", "\n| `group_by` |"),
  ],
  [
    "docs of rate limits",
    [...RATED, "tags"],
    namedBetween(doc("limits.md"), "`match` takes `route`", "The outcome"),
  ],
  [
    "docs of filters",
    DIMENSION_NAMES,
    namedBetween(doc("reports.md"), "`GET /v1/runs` filters by", "by one tag"),
  ],
  ["docs of reports", DIMENSION_NAMES, namedBetween(doc("reports.md"), "| `group_by` |", "\n| `from`")],
];

describe("every dimension", () => {
  test.each(USES)("is known to %s", (_use, needed, known) => {
    expect(needed.filter((name) => !known.includes(name))).toEqual([]);
  });

  test.each(DIMENSION_NAMES)("%s groups a report, and its refusals name it", (name) => {
    expect(reportQuery.safeParse({ group_by: name }).success).toBe(true);
    const { error } = reportQuery.safeParse({ group_by: "color" });
    expect(error?.issues[0]?.message).toContain(name);
  });
});
