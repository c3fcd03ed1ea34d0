import type { UsageReport } from "../client/index.ts";
import { type Command, text, UsageError, wholeNumber } from "./command.ts";
import { clientFor, ORG_OPTION } from "./connection.ts";
import { type Column, tableText } from "./table.ts";

const FIGURES = {
  cost_usd: "COST USD",
  runs: "RUNS",
  tokens: "TOKENS",
  input_tokens: "INPUT",
  output_tokens: "OUTPUT",
  saved_usd: "SAVED USD",
  revenue_usd: "REVENUE USD",
  margin_usd: "MARGIN USD",
} as const satisfies Partial<Record<keyof UsageReport["totals"], string>>;

export const report: Command = {
  usage: "[options]",
  summary: "What was spent, added up. Without options: the last 30 days by model.",
  options: {
    by: {
      type: "string",
      field: "group_by",
      says: "one to three of day, week, month, model, customer_id, tag:NAME, …",
    },
    from: { type: "string", says: "the first day: 2026-11-01" },
    to: { type: "string", says: "the day after the last" },
    timezone: { type: "string", says: "of days: Europe/Berlin" },
    limit: { type: "string", says: "how many groups" },
    json: { type: "boolean", says: "the whole answer as JSON" },
    csv: { type: "boolean", says: "the groups as CSV" },
    ...ORG_OPTION,
  },
  async run(given, terminal) {
    if (given.arguments.length > 0) throw new UsageError("report takes options only");
    const { json: isJson = false, csv: isCsv = false } = given.options;
    if (isJson && isCsv) throw new UsageError("--json and --csv exclude each other");
    const { usage } = clientFor(given, terminal);
    const query = {
      group_by: text(given, "by") ?? "model",
      from: text(given, "from"),
      to: text(given, "to"),
      timezone: text(given, "timezone"),
      limit: wholeNumber(given, "limit"),
    };
    if (isCsv) return terminal.out(await (await usage.report({ ...query, format: "csv" })).text());
    const found = await usage.report(query);
    terminal.out(isJson ? `${JSON.stringify(found, null, 2)}\n` : reportText(found));
  },
};

function reportText(found: UsageReport): string {
  const { from, to, timezone, group_by: groups, totals, data } = found;
  const title = `${from} to ${to} (${timezone})\n`;
  if (data.length === 0) return `${title}No runs.\n`;
  const figures = namesOf(FIGURES).filter((name) => isShown(name, totals));
  const columns: Column[] = [
    ...groups.map((name) => ({ head: name.toUpperCase() })),
    ...figures.map((name) => ({ head: FIGURES[name], isNumber: true })),
  ];
  const rows = data.map((row) => [
    ...groups.map((name) => String(row[name] ?? "(none)")),
    ...figures.map((name) => String(row[name] ?? "")),
  ]);
  const sums = ["total", ...groups.slice(1).map(() => ""), ...figures.map((name) => String(totals[name]))];
  return `${title}\n${tableText(columns, [...rows, sums])}${notesText(found)}`;
}

const namesOf = <T extends object>(record: T) => Object.keys(record) as (keyof T)[];

/** What most orgs have none of is left out where nobody has any. */
function isShown(name: keyof typeof FIGURES, totals: UsageReport["totals"]): boolean {
  const total = totals[name];
  return /^(?:saved|revenue|margin)/.test(name) ? Number(total ?? 0) !== 0 : true;
}

function notesText({
  data,
  groups,
  deleted_before: before,
  includes_deleted: included,
}: UsageReport): string {
  const rest = data.length < groups ? `\n${data.length} of ${groups} groups: --limit shows more.\n` : "";
  const deleted =
    before === null
      ? ""
      : `\nRuns recorded before ${before} were deleted, and are ${included ? "" : "not "}included.\n`;
  return rest + deleted;
}
