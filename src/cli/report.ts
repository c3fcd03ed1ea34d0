import { type Command, text, UsageError, wholeNumber } from "./command.ts";

const FORMATS = ["json", "csv"] as const;

export const report: Command = {
  usage: "[options]",
  summary: "What was spent, added up. Without options: the last 30 days by model.",
  options: {
    by: { type: "string", says: "one to three of day, week, month, model, customer_id, tag:NAME, …" },
    from: { type: "string", says: "the first day: 2026-11-01" },
    to: { type: "string", says: "the day after the last" },
    timezone: { type: "string", says: "of days: Europe/Berlin" },
    format: { type: "string", says: "json or csv" },
    limit: { type: "string", says: "how many groups" },
  },
  async run(given, { client, out }) {
    if (given.arguments.length > 0) throw new UsageError("report takes options only");
    const asked = text(given, "format") ?? "json";
    const format = FORMATS.find((one) => one === asked);
    if (format === undefined)
      throw new UsageError(`--format must be json or csv, not ${JSON.stringify(asked)}`);
    const response = await client().usage.report({
      group_by: text(given, "by") ?? "model",
      from: text(given, "from"),
      to: text(given, "to"),
      timezone: text(given, "timezone"),
      limit: wholeNumber(given, "limit"),
      format,
    });
    const said = await response.text();
    out(said.endsWith("\n") ? said : `${said}\n`);
  },
};
