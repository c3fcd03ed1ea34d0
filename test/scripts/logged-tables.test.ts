import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { importsUnder } from "../../scripts/structure/imports.ts";

/**
 * While the journal has changes that a table has not, a statement that reads the table reads what was. So each statement
 * on such a table stands in a file that is listed here, with the reason why it reads what is.
 */
const TABLES = [
  "usage",
  "usage_daily",
  "events",
  "audit",
  "audit_ends",
  "idempotency",
  "lease_holders",
  "lease_slices",
  "rate_counts",
  "holds",
];

/** Where rows of such tables are, many to a row. */
const PAGES = ["audit_pages", "event_pages", "hold_pages"];

/** They read rows by name from the journal first, or add what it has. */
const WITH_THE_JOURNAL = [
  "src/org/decisions/store.ts",
  "src/org/decisions/table.ts",
  "src/org/kernel/audit/append.ts",
  "src/org/kernel/audit/ends.ts",
  "src/org/kernel/idempotency/records.ts",
  "src/org/kernel/idempotency/store.ts",
  "src/org/leases/book-store.ts",
  "src/org/leases/slice-store.ts",
  "src/org/meters/usage.ts",
  "src/org/rate-limits/meters.ts",
  "src/org/runs/daily.ts",
];

/** Journaled commands run them too, and fold before. */
const FOLDING = ["src/org/decisions/expire.ts", "src/org/leases/gate.ts", "src/org/webhooks/fan-out.ts"];

/** Of those, what they fold for is read by the files that they call. */
const FOR_OTHERS = ["src/org/decisions/expire.ts", "src/org/leases/gate.ts"];

/** Only queries, due work and commands that are not journaled run them. Those begin with a fold. */
const AFTER_A_FOLD = [
  "src/org/audit-log/read.ts",
  "src/org/audit-log/verify.ts",
  "src/org/backup/tables.ts",
  "src/org/benchmarks/figures.ts",
  "src/org/budgets/queries.ts",
  "src/org/customers/standing.ts",
  "src/org/events/queries.ts",
  "src/org/explain/trace.ts",
  "src/org/forecasts/match-usage.ts",
  "src/org/forecasts/queries.ts",
  "src/org/meters/store.ts",
  "src/org/meters/subjects.ts",
  "src/org/rate-limits/in-use.ts",
  "src/org/recount/recount.ts",
  "src/org/retention-policy/sweep.ts",
  "src/org/retention-policy/usage-sweep.ts",
  "src/org/usage/daily.ts",
  "src/org/usage/queries.ts",
  "src/org/usage/top.ts",
  "src/org/webhooks/recover.ts",
];

/** Called by a file above, after its fold, or adding what memory has. */
const BELOW = ["src/org/decisions/open.ts", "src/org/kernel/events/find.ts"];

const NAMES = [...TABLES, ...PAGES].join("|");
const STATEMENT = new RegExp(
  String.raw`(?:\b(?:FROM|JOIN|INTO|UPDATE)\s+|\btable: ")(?:${NAMES})\b|\b(?:AUDIT|EVENTS)\.(?:stored|deleteRead)\(`,
);
const TABLE_OF_JOURNAL = /new (?:Table|PagedTable|AppendOnlyLog<\w+>)\(/;

function mentioning(pattern: RegExp): string[] {
  return globSync("src/**/*.ts")
    .filter((file) => !file.endsWith("schema.ts") && pattern.test(readFileSync(file, "utf8")))
    .toSorted();
}

test("every statement on a journaled table is known to read what the journal has", () => {
  const folding = FOLDING.filter((file) => !FOR_OTHERS.includes(file));
  expect(mentioning(STATEMENT)).toEqual(
    [...WITH_THE_JOURNAL, ...folding, ...AFTER_A_FOLD, ...BELOW].toSorted(),
  );
});

test("the tables are those of the journal", () => {
  const shapes = mentioning(TABLE_OF_JOURNAL).flatMap((file) =>
    [
      ...readFileSync(file, "utf8").matchAll(
        /new (?:Table|PagedTable|AppendOnlyLog<\w+>)\(\s*\{\s*name: "(\w+)"/g,
      ),
    ].map(([, name]) => String(name)),
  );
  expect(shapes.toSorted()).toEqual(TABLES.toSorted());
});

test("the pages are those of the journal", () => {
  const kinds = mentioning(TABLE_OF_JOURNAL).flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\b(?:table|pages): "(\w+_pages)"/g)].map(([, name]) =>
      String(name),
    ),
  );
  expect(kinds.toSorted()).toEqual(PAGES);
});

test("what folds by itself says so", () => {
  for (const file of FOLDING)
    expect([file, readFileSync(file, "utf8")]).toEqual([
      file,
      expect.stringMatching(/checkpoint(?:First)?\(/),
    ]);
});

/** `deleteMeter` is among functions that all commands use. Those that delete a limit are not journaled. */
const SHARED = ["src/org/meters/store.ts"];

test("no file that journaled transactions run has a statement that needs a fold before", () => {
  const inJournal = [...mentioning(/\busesWal: true/), ...mentioning(/\bwalTransaction\(/)];
  expect(inJournal).toContain("src/org/runs/commands.ts");
  expect(inJournal).toContain("src/org/leases/gate.ts");
  // The kernel runs whatever command it is given.
  const reached = new Set(inJournal.filter((file) => !file.startsWith("src/org/kernel/")));
  const edges = importsUnder(process.cwd()).filter(([, to]) => to.startsWith("src/org/"));
  for (const file of reached) for (const [from, to] of edges) if (from === file) reached.add(to);
  expect(AFTER_A_FOLD.filter((file) => reached.has(file))).toEqual(SHARED);
});
