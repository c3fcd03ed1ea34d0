import type { ExplainedCheck } from "../client/index.ts";
import { type Command, UsageError } from "./command.ts";

const BY_PREFIX = { rsv_: "reservation_id", ref_: "refusal_id", run_: "run_id" } as const;

export const explain: Command = {
  usage: "<id> [options]",
  summary:
    "Every check of one call, in order. The id is a reservation's, a refusal's, a run's, or a trace id.",
  options: { json: { type: "boolean", says: "the whole answer as JSON" } },
  async run(given, { client, out }) {
    const [id, ...more] = given.arguments;
    if (id === undefined || more.length > 0) throw new UsageError("explain takes one id");
    const known = Object.entries(BY_PREFIX).find(([prefix]) => id.startsWith(prefix));
    const explained = await client().explain.explain({ [known?.[1] ?? "trace_id"]: id });
    out(
      given.options["json"] === true
        ? `${JSON.stringify(explained, null, 2)}\n`
        : explained.checks.map(lineOf).join(""),
    );
  },
};

function lineOf({ outcome, check, name, id, why }: ExplainedCheck): string {
  const which = name ?? id;
  return `${outcome.padEnd(8)} ${check}${which === null ? "" : ` ${which}`}: ${why}\n`;
}
