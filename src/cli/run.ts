import { parseArgs } from "node:util";
import { SluiceError } from "../client/index.ts";
import { apply } from "./apply.ts";
import { type Command, Failure, type CommandInput, type Terminal, UsageError } from "./command.ts";
import { decide } from "./decide.ts";
import { explain } from "./explain.ts";
import { exportSettings } from "./export.ts";
import { plan } from "./plan.ts";
import { report } from "./report.ts";
import { tail } from "./tail.ts";

const COMMANDS: Readonly<Record<string, Command>> = {
  decide,
  explain,
  report,
  tail,
  export: exportSettings,
  plan,
  apply,
};

const DONE = 0;
const REFUSED = 1;
const MISUSED = 2;

/** Runs a command to its end. Resolves to the exit status of the process. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name = "", ...rest] = args;
  if (name === "" || name === "--help" || name === "-h" || name === "help") {
    terminal.out(helpText());
    return name === "" ? MISUSED : DONE;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  try {
    if (command === undefined) throw new UsageError(`there is no command ${JSON.stringify(name)}`);
    const given = givenTo(command, rest);
    if (given.options["help"] !== true) return (await command.run(given, terminal)) ?? DONE;
    terminal.out(helpOf(name, command));
    return DONE;
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof SluiceError || error instanceof Failure))
      throw error;
    const isUsage = error instanceof UsageError;
    const help = command === undefined ? "sluice --help" : `sluice ${name} --help`;
    if (error instanceof Failure) {
      terminal.error(error.message.replaceAll(/^/gm, "sluice: ").concat("\n"));
      return REFUSED;
    }
    terminal.error(`sluice: ${error.message}${isUsage ? ` (${help} says more)` : ""}\n`);
    return isUsage ? MISUSED : REFUSED;
  }
}

function givenTo({ options }: Command, args: readonly string[]): CommandInput {
  const known = Object.entries(options).map(
    ([name, { type, short }]) => [name, { type, ...(short === undefined ? {} : { short }) }] as const,
  );
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...Object.fromEntries(known), help: { type: "boolean", short: "h" } },
      allowPositionals: true,
    });
    return { options: values, arguments: positionals };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function helpText(): string {
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(9)} ${summary}`);
  return `Usage: sluice <command> [options]

${lines.join("\n")}

sluice <command> --help lists the options of a command.
SLUICE_URL is where Sluice is served (http://127.0.0.1:8787 if it is not set), SLUICE_KEY an API key.
`;
}

function helpOf(name: string, { usage, summary, options }: Command): string {
  const lines = Object.entries(options).map(([option, { type, short, says }]) => {
    const shown = `${short === undefined ? "" : `-${short}, `}--${option}${type === "string" ? " …" : ""}`;
    return `  ${shown.padEnd(24)} ${says}\n`;
  });
  return `Usage: sluice ${name} ${usage}\n\n${summary}\n\n${lines.join("")}`;
}
