import { type ExplainedCheck, type Explanation, Refused } from "../client/index.ts";
import { type Command, Failure, UsageError } from "./command.ts";
import { clientFor, ORG_OPTION } from "./connection.ts";
import { type Column, tableText } from "./table.ts";

const BY_PREFIX = { rsv_: "reservation_id", ref_: "refusal_id", run_: "run_id" } as const;

const AMOUNTS = ["limit", "spent", "reserved", "available"] as const;
const COLUMNS: readonly Column[] = [
  { head: "CHECK" },
  { head: "OUTCOME" },
  { head: "NAME" },
  ...AMOUNTS.map((amount) => ({ head: amount.toUpperCase(), isNumber: true })),
  { head: "WHY" },
];

export const explain: Command = {
  usage: "<id> [options]",
  summary:
    "Every check of one call, in order. The id is a reservation's, a refusal's, a run's, or a trace id.",
  options: { json: { type: "boolean", says: "the whole answer as JSON" }, ...ORG_OPTION },
  async run(given, terminal) {
    const [id, ...more] = given.arguments;
    if (id === undefined || more.length > 0) throw new UsageError("explain takes one id");
    const known = Object.entries(BY_PREFIX).find(([prefix]) => id.startsWith(prefix));
    const sluice = clientFor(given, terminal);
    const explained = await sluice.explain
      .explain({ [known?.[1] ?? "trace_id"]: id })
      .catch((error: unknown) => {
        if (!(error instanceof Refused) || error.code !== "not_found") throw error;
        throw new Failure([
          `nothing is stored under ${id}: explain takes the id of a reservation, a refusal or a run, or a trace id`,
        ]);
      });
    terminal.out(
      given.options["json"] === true ? `${JSON.stringify(explained, null, 2)}\n` : explanationText(explained),
    );
  },
};

function explanationText({ outcome, at, amount_usd: amount, refusal, checks }: Explanation): string {
  const cost = amount === null ? "" : `, $${amount}`;
  const code = refusal === null ? "" : `: ${refusal.code}`;
  return `${outcome} at ${at}${cost}${code}\n\n${tableText(COLUMNS, checks.map(cellsOf))}`;
}

function cellsOf(explained: ExplainedCheck): string[] {
  const { check, outcome, name, id, why } = explained;
  const amounts = AMOUNTS.map((amount) => String(explained[amount] ?? ""));
  return [check, outcome, name ?? id ?? "", ...amounts, why];
}
