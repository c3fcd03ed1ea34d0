import { type Command } from "./command.ts";
import { ORG_OPTION } from "./connection.ts";
import { planText } from "./plan-text.ts";
import { planOf } from "./settings-plan.ts";

/** The exit status of `--check` where an org is not what its file says. */
export const WOULD_CHANGE = 2;

export const FILE_OPTION = {
  file: { type: "string", short: "f", says: "the file of settings; - is the standard input" },
  check: { type: "boolean", says: "changes nothing; exit status 2 if something would change" },
  ...ORG_OPTION,
} as const;

export const plan: Command = {
  usage: "-f FILE [options]",
  summary: "What a file of settings would change. Changes nothing.",
  options: FILE_OPTION,
  async run(given, terminal) {
    const { changes, closed } = await planOf(given, terminal);
    terminal.out(planText(changes));
    for (const section of closed)
      terminal.error(`sluice: this key may not change ${section}, so the service has not checked it\n`);
    return given.options["check"] === true && changes.length > 0 ? WOULD_CHANGE : 0;
  },
};
